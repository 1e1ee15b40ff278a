/** People as they are shown: with their addresses, their last message, what is unread, and whether they stopped. */
import type { Ctx } from '../../context.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import { InboundMessage } from '../inbound/inbound-message.entity.ts';
import type { Person } from '../people/person.entity.ts';
import { PersonAddress } from '../people/person-address.entity.ts';
import { Suppression } from '../suppressions/suppression.entity.ts';
import { COUNT_UNREAD } from './people-list.sql.ts';

/** One address of a person. */
export type ShownAddress = Pick<PersonAddress, 'value' | 'kind' | 'channel' | 'learnedFrom' | 'learnedAt'>;

/** A person. */
export interface PersonView {
  /** Null: nothing is kept of the person, who never wrote. */
  readonly id: string | null;
  readonly accountId: string;
  /** The address that a text goes to: the newest number, else the newest id of a channel. */
  readonly to: string;
  readonly name: string | null;
  /** The newest first; numbers before ids. */
  readonly addresses: readonly ShownAddress[];
  readonly lastMessage: InboundMessage | null;
  /** How many messages nobody of the account has read, 100 at most. */
  readonly unread: number;
  /** Null: the person gets messages. */
  readonly suppression: Suppression | null;
}

/** A person of whom something is kept. `newest` is the place in the list; empty: the list has nobody. */
export interface KnownPerson extends PersonView {
  readonly id: string;
  readonly newest: string;
}

const FRESH = { disableIdentityMap: true } as const;

/** The views of people of one account, in their order, by one query for each of what belongs to them. */
export async function viewsOf(ctx: Ctx, people: readonly Person[]): Promise<KnownPerson[]> {
  const [first] = people;
  if (!first) return [];
  const { accountId } = first;
  const em = ctx.services.database.fork();
  const personId = { $in: people.map(({ id }) => id) };
  const [addresses, messages, unread] = await Promise.all([
    em.find(PersonAddress, { accountId, personId }, { ...FRESH, orderBy: { kind: 'asc', learnedAt: 'desc' } }),
    em.find(
      InboundMessage,
      { accountId, id: { $in: people.flatMap(({ lastMessageId }) => lastMessageId ?? []) } },
      FRESH,
    ),
    COUNT_UNREAD.run(ctx.services.database.sql(), { people: people.map(({ id }) => toUuid(id)) }),
  ]);
  const suppressions = await suppressionsOf(
    ctx,
    accountId,
    addresses.map(({ value }) => value),
  );
  const counts = new Map(unread.map(({ id, count }) => [fromUuid('prs', id), count]));
  const byMessage = new Map(messages.map(message => [message.id, message]));
  const byPerson = Map.groupBy(addresses, address => address.personId);
  return people.map(({ id, name = null, newest, lastMessageId }) => {
    const own = byPerson.get(id) ?? [];
    return {
      id,
      accountId,
      to: own[0]?.value ?? '',
      name,
      newest: newest ?? '',
      addresses: own,
      lastMessage: byMessage.get(lastMessageId ?? '') ?? null,
      unread: counts.get(id) ?? 0,
      suppression: own.flatMap(({ value }) => suppressions.get(value) ?? [])[0] ?? null,
    };
  });
}

/** A number of which nothing is kept. */
export async function stranger(ctx: Ctx, accountId: string, digits: string): Promise<PersonView> {
  const suppression = (await suppressionsOf(ctx, accountId, [digits])).get(digits) ?? null;
  return { id: null, accountId, to: digits, name: null, addresses: [], lastMessage: null, unread: 0, suppression };
}

async function suppressionsOf(
  ctx: Ctx,
  accountId: string,
  values: readonly string[],
): Promise<ReadonlyMap<string, Suppression>> {
  const { database, suppressed } = ctx.services;
  const names = new Map(values.map(value => [suppressed.erasedName(accountId, value), value]));
  const person = { $in: [...values, ...names.keys()] };
  const found = await database.fork().find(Suppression, { accountId, person }, FRESH);
  return new Map(found.map(suppression => [names.get(suppression.person) ?? suppression.person, suppression]));
}
