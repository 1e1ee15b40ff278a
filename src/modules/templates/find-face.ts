/** The connection of templates, and what its provider has of them. */
import type { Templates } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { invalidInput } from '../../kernel/errors.ts';
import type { Connection } from '../connections/connection.entity.ts';
import { getConnection } from '../connections/manage-connections.ts';

/** How long all requests of one call to a provider may take together. */
export const TEMPLATES_MS = 60_000;

/** A connection that has templates. */
export interface TemplatesOf {
  readonly connection: Connection;
  readonly templates: Templates;
}

/** The templates of a connection. @throws AppError `not_found`; `invalid_input` on `connectionId`: it has none */
export async function findFace(ctx: Ctx, connectionId: string): Promise<TemplatesOf> {
  const connection = await getConnection(ctx.em, connectionId);
  await ctx.services.providers.refresh();
  const templates = ctx.services.providers.of(connection.id)?.templates;
  if (!templates)
    throw invalidInput('connectionId', 'is of a connection without templates: give its config a businessAccountId');
  return { connection, templates };
}
