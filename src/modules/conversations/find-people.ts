/** The verbs *list people*, *find a person* and *mark read*: who wrote to the caller's account (contract §15). */
import type { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { type Page, readPageByLook } from '../../db/page.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { fromUuid, parseId, toUuid } from '../../kernel/ids.ts';
import { parsePhone } from '../../kernel/phone.ts';
import { isStorableText } from '../../kernel/storable.ts';
import { readScope } from '../accounts/read-scope.ts';
import { InboundMessage } from '../inbound/inbound-message.entity.ts';
import { Person } from '../people/person.entity.ts';
import { PersonAddress } from '../people/person-address.entity.ts';
import type { ListPeopleInput, markReadInput } from './people.input.ts';
import { COUNT_UNREAD_PEOPLE, LIST_PEOPLE, LIST_UNREAD_PEOPLE, MARK_READ } from './people-list.sql.ts';
import { type KnownPerson, type PersonView, stranger, viewsOf } from './person-view.ts';
import { SEARCH_PEOPLE, SEARCH_UNREAD_PEOPLE } from './search-people.sql.ts';

const FRESH = { disableIdentityMap: true } as const;

/**
 * The people who wrote to the account or were noted about, those with the newest messages first. A page of a search ends with its look: it may be shorter than
 * it could be, and the next one goes on. @throws AppError `invalid_input`, and as `readScope`
 */
export async function listPeople(ctx: Ctx, { filter, ...page }: ListPeopleInput): Promise<Page<KnownPerson>> {
  const { accountId } = readScope(ctx);
  const { search, isUnread, ...unread } = filter ?? {};
  // A member of the filter that nothing reads does not compile.
  unread satisfies Record<string, never>;
  const sql = ctx.services.database.sql(ctx.signal);
  const sought = search?.trim() ?? '';
  return readPageByLook(
    page,
    async (before, limit) => {
      const of = { account: toUuid(accountId), before, limit };
      if (sought === '') {
        const all = await (isUnread ? LIST_UNREAD_PEOPLE : LIST_PEOPLE).run(sql, of);
        return { rows: await peopleOf(ctx, all), end: null };
      }
      const rows = await (isUnread ? SEARCH_UNREAD_PEOPLE : SEARCH_PEOPLE).run(sql, { ...of, ...patternsOf(sought) });
      const found = rows.filter(({ isFound }) => isFound);
      const last = rows.at(-1);
      return { rows: await peopleOf(ctx, found), end: last?.isEnd && found.length < limit ? last.newest : null };
    },
    ({ newest }) => newest,
  );
}

/** The patterns of LIKE for what is sought: anywhere, and as the digits of a number. */
function patternsOf(sought: string): { readonly search: string; readonly digits: string | null } {
  const digits = sought.replaceAll(/[\s()+./-]/g, '');
  return {
    search: `%${sought.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`,
    digits: /^\d+$/.test(digits) ? `%${digits}%` : null,
  };
}

async function peopleOf(ctx: Ctx, rows: readonly { readonly id: string }[]): Promise<KnownPerson[]> {
  const people = await ctx.em.find(Person, { id: { $in: rows.map(({ id }) => fromUuid('prs', id)) } }, FRESH);
  const views = await viewsOf(ctx, people);
  return views.sort((a, b) => (a.newest < b.newest ? 1 : -1));
}

/** How many people wrote something that nobody of the account has read, 1,000 at most. @throws AppError as `readScope` */
export async function countUnreadPeople(ctx: Ctx): Promise<number> {
  const { accountId } = readScope(ctx);
  const row = await COUNT_UNREAD_PEOPLE.first(ctx.services.database.sql(), { account: toUuid(accountId) });
  return row?.count ?? 0;
}

/**
 * A person by number, by the id of a channel, or by `prs_…`. A number of nobody is a person who never wrote. @throws AppError `not_found`: another text of
 * nobody; as `readScope`
 */
export async function findPerson(ctx: Ctx, to: string): Promise<PersonView> {
  const { accountId } = readScope(ctx);
  const digits = parsePhone(to)?.digits ?? null;
  const id = parseId('prs', to) ?? (await addressOf(ctx, accountId, digits ?? to.trim()))?.personId;
  const found = id == null ? null : await ctx.em.findOne(Person, { id, accountId }, FRESH);
  const kept = found?.mergedInto;
  const person = kept ? await ctx.em.findOne(Person, { id: kept, accountId }, FRESH) : found;
  if (person) {
    const [view] = await viewsOf(ctx, [person]);
    if (view) return view;
  }
  if (digits === null) throw new AppError('not_found', 'Nobody with this number or id wrote to the account.');
  return stranger(ctx, accountId, digits);
}

async function addressOf(ctx: Ctx, accountId: string, value: string): Promise<PersonAddress | null> {
  if (!isStorableText(value)) return null;
  return ctx.em.findOne(PersonAddress, { accountId, value }, FRESH);
}

/** Notes that the messages of a person are read up to one, for the whole account. @throws AppError `invalid_input` on `messageId`; as `findPerson` */
export async function markRead(ctx: Ctx, { to, messageId }: z.infer<typeof markReadInput>): Promise<PersonView> {
  const person = await findPerson(ctx, to);
  const id = parseId('msg', messageId);
  const message = id && (await ctx.em.findOne(InboundMessage, { id, accountId: person.accountId }, FRESH));
  const isTheirs = person.addresses.some(
    ({ value }) => message && (value === message.fromNumber || value === message.fromUserId),
  );
  if (!id || !isTheirs || person.id === null)
    throw invalidInput('messageId', 'is no message that the person sent to the account (`inboundMessages`)');
  await MARK_READ.run(ctx.services.database.sql(), { person: toUuid(person.id), message: toUuid(id) });
  return findPerson(ctx, person.id);
}
