/** The verb *synchronise templates*: what the provider of a connection has takes the place of what was known. */
import { isDeepStrictEqual } from 'node:util';
import type { ListedTemplate, Probed } from '../../channels/contract.ts';
import { type Ctx, requireOperator } from '../../context.ts';
import { LOCKED } from '../../db/locked.ts';
import { newId } from '../../kernel/ids.ts';
import { isStorableJson, isStorableText } from '../../kernel/storable.ts';
import { Connection } from '../connections/connection.entity.ts';
import { CloudTemplate } from './cloud-template.entity.ts';
import { findFace, TEMPLATES_MS, type TemplatesOf } from './find-face.ts';
import { announceTemplates } from './template-table.ts';

/** The outcome of `syncTemplates`. */
export interface TemplateSync extends Probed {
  /** How many templates the provider has; null: it could not be asked. */
  readonly total: number | null;
}

/** Asks the provider of a connection for its templates. @throws AppError as `findFace` */
export async function syncTemplates(ctx: Ctx, connectionId: string): Promise<TemplateSync> {
  requireOperator(ctx);
  return syncFace(ctx, await findFace(ctx, connectionId));
}

/** The same for a connection that was found. News that came meanwhile stay. */
export async function syncFace(
  ctx: Ctx,
  { connection, templates }: Pick<TemplatesOf, 'templates'> & { readonly connection: Pick<Connection, 'id'> },
): Promise<TemplateSync> {
  const askedAt = ctx.clock.now();
  const answer = await templates.list(AbortSignal.timeout(TEMPLATES_MS));
  if ('result' in answer) return { ...answer, total: null };
  const listed = new Map(answer.templates.filter(isStorable).map(template => [keyOf(template), template]));
  const isNew = await ctx.em.transactional(async em => {
    if (!(await lockConnection(em, connection.id))) return false;
    const isChanged = await replace(em, { connectionId: connection.id, syncedAt: askedAt }, listed);
    // Every process would read all templates again.
    if (isChanged) await announceTemplates(em);
    return isChanged;
  });
  if (isNew) await ctx.services.cloudTemplates.refresh();
  const { size: total } = listed;
  return { result: 'works', message: total === 1 ? 'There is one template.' : `There are ${total} templates.`, total };
}

/** Lets one caller after another change the templates of a connection. False: it was removed. */
export async function lockConnection(em: Ctx['em'], id: string): Promise<boolean> {
  return (await em.findOne(Connection, { id, removedAt: null }, LOCKED)) !== null;
}

/** Answers whether a template is another one, is new or is gone; when it was asked for says nothing. */
async function replace(
  em: Ctx['em'],
  given: { readonly connectionId: string; readonly syncedAt: Date },
  listed: ReadonlyMap<string, ListedTemplate>,
): Promise<boolean> {
  const { connectionId, syncedAt } = given;
  const known = await em.find(CloudTemplate, { connectionId }, { refresh: true });
  const byKey = new Map(known.map(template => [keyOf(template), template]));
  let isChanged = false;
  for (const [key, found] of listed) {
    const before = byKey.get(key);
    if (before && before.syncedAt > syncedAt) continue;
    const template = { ...found, reason: found.reason ?? keptReason(before, found) };
    isChanged ||= !before || !isSame(before, template);
    if (before) Object.assign(before, template, { syncedAt });
    else em.create(CloudTemplate, { id: newId('tpl'), ...given, ...template });
  }
  const gone = known.filter(template => !listed.has(keyOf(template)) && template.syncedAt <= syncedAt);
  for (const template of gone) em.remove(template);
  return isChanged || gone.length > 0;
}

/** The reason that news told: a listing says why a template was rejected, and not why one is paused. */
function keptReason(before: CloudTemplate | undefined, { status }: ListedTemplate): string | null {
  return (before?.status === status && before.reason) || null;
}

function isSame(before: CloudTemplate, { category, status, reason, components }: ListedTemplate): boolean {
  const known = { category: before.category, status: before.status, reason: before.reason ?? null };
  return isDeepStrictEqual({ ...known, components: before.components }, { category, status, reason, components });
}

/** Meta's names hold no blank. */
function keyOf({ name, language }: Pick<ListedTemplate, 'name' | 'language'>): string {
  return `${name} ${language}`;
}

function isStorable({ components, ...words }: ListedTemplate): boolean {
  return isStorableJson(components) && Object.values(words).every(word => word === null || isStorableText(word));
}
