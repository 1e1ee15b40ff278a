/** The verb *list templates*: those of the connections that the caller may see, by name. */
import type { FilterQuery } from '@mikro-orm/core';
import { z } from 'zod';
import { type Ctx, managedAccount } from '../../context.ts';
import { given, type Page, pageInput, readPageAtOnce } from '../../db/page.ts';
import { fromUuid, parseId } from '../../kernel/ids.ts';
import { textInput } from '../../kernel/storable.ts';
import { Connection } from '../connections/connection.entity.ts';
import { type NamedConnection, nameConnections } from '../connections/name-connections.ts';
import { CloudTemplate } from './cloud-template.entity.ts';

const word = textInput(64).nullish();

/** The input of the list. */
export const listTemplatesInput = pageInput.extend({
  filter: z
    .strictObject({
      connectionId: z.string().nullish().meta({ description: 'Those of this connection' }),
      name: textInput(512).nullish().meta({ description: 'Those whose names hold this' }),
      language: word.meta({ description: 'Those in this language, like `en_US`' }),
      status: word.meta({ description: 'Those with this status, like `APPROVED`' }),
      category: word.meta({ description: 'Those of this category, like `AUTHENTICATION`' }),
    })
    .meta({ id: 'CloudTemplateFilter', description: 'Which templates to list; what is absent does not narrow' })
    .nullish()
    .meta({ description: 'Which templates' }),
});

/**
 * The templates of the connections by which the caller's account sends: its own, or else the shared ones. An operator who acts for no account
 * gets those of all. Behind a template that a synchronisation took away the list begins anew. @throws AppError `unauthenticated`, `wrong_area`; `invalid_input`
 * on `after`
 */
export async function listTemplates(
  ctx: Ctx,
  { filter, ...page }: z.infer<typeof listTemplatesInput>,
): Promise<Page<CloudTemplate>> {
  const ids = await visibleConnections(ctx, managedAccount(ctx));
  const { connectionId, name, language, status, category } = filter ?? {};
  const wanted = connectionId == null ? null : parseId('con', connectionId);
  const where: FilterQuery<CloudTemplate> = {
    connectionId: { $in: connectionId == null ? ids : ids.filter(id => id === wanted) },
    ...(name == null ? {} : { name: { $like: `%${name.replaceAll(/[\\%_]/g, '\\$&')}%` } }),
    ...given({ language, status: status?.toUpperCase(), category: category?.toUpperCase() }),
  };
  // By one look: its place is that of a row, which may be removed between two.
  return readPageAtOnce(page, async (before, limit) => {
    const orderBy = { name: 'asc', language: 'asc', id: 'asc' } as const;
    const id = before === null ? null : fromUuid('tpl', before);
    const after = id === null ? null : await ctx.em.findOne(CloudTemplate, { id }, { disableIdentityMap: true });
    const narrowed = after ? { $and: [where, behind(after)] } : where;
    return ctx.em.find(CloudTemplate, narrowed, { orderBy, limit, disableIdentityMap: true });
  });
}

/** The connections of which `listTemplates` tells, as far as their providers have templates. @throws AppError `unauthenticated`, `wrong_area` */
export async function listTemplateConnections(ctx: Ctx): Promise<NamedConnection[]> {
  const ids = await visibleConnections(ctx, managedAccount(ctx));
  const having = ids.filter(id => ctx.services.providers.of(id)?.templates);
  return (await nameConnections(ctx, having)).filter(connection => connection !== null);
}

/** As routing chooses them: the account's own, the shared ones where it has none of any channel. */
async function visibleConnections({ em }: Ctx, accountId: string | null): Promise<string[]> {
  const find = async (ofAccount: { readonly accountId?: string | null }): Promise<string[]> =>
    (
      await em.find(
        Connection,
        { ...ofAccount, removedAt: null },
        { fields: ['id'], orderBy: { priority: 'asc', id: 'asc' } },
      )
    ).map(({ id }) => id);
  if (accountId === null) return find({});
  const own = await find({ accountId });
  return own.length > 0 ? own : find({ accountId: null });
}

function behind({ name, language, id }: CloudTemplate): FilterQuery<CloudTemplate> {
  return {
    $or: [{ name: { $gt: name } }, { name, language: { $gt: language } }, { name, language, id: { $gt: id } }],
  };
}
