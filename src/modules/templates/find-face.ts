/** The connection of templates, and what its provider has of them. */
import type { Templates } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
import { Connection } from '../connections/connection.entity.ts';

/** How long all requests of one call to a provider may take together. */
export const TEMPLATES_MS = 60_000;

/** A connection that has templates. */
export interface TemplatesOf {
  readonly connection: Connection;
  readonly templates: Templates;
}

/** The templates of a connection. @throws AppError `not_found`; `invalid_input` on `connectionId`: it has none */
export async function findFace(ctx: Ctx, connectionId: string): Promise<TemplatesOf> {
  const id = parseId('con', connectionId);
  const connection = id ? await ctx.em.findOne(Connection, { id, removedAt: null }) : null;
  if (!connection) throw new AppError('not_found', 'There is no such connection.');
  await ctx.services.providers.refresh();
  const templates = ctx.services.providers.of(connection.id)?.templates;
  if (!templates)
    throw invalidInput('connectionId', 'is of a connection without templates: give its config a businessAccountId');
  return { connection, templates };
}
