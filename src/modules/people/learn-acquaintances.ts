/** The verb *learn acquaintances*: providers tell of the recipients of attempts that a number and an id of the channel are one person's (contract §15). */
import type { Acquaintance } from '../../channels/contract.ts';
import type { Ctx, Services } from '../../context.ts';
import { defineStatementBatch } from '../../db/batch.ts';
import { parseId, toUuid } from '../../kernel/ids.ts';
import { parsePhone } from '../../kernel/phone.ts';
import { isStorableText, storableText } from '../../kernel/storable.ts';
import type { SuppressionChange } from '../suppressions/suppressions.sql.ts';
import { learnPeople } from './learn-people.ts';
import { FIND_STRANGERS } from './people.sql.ts';

/** The most that is kept of a name. */
const NAME_MAX = 255;

/** A pair of addresses, with the uuid of the attempt that it was told of. */
interface Told {
  readonly attempt_id: string | null;
  /** A connection that may tell of it. */
  readonly connection_id: string;
  readonly provider_message_id: string;
  readonly number: string;
  readonly user_id: string;
  readonly name: string | null;
}

interface Item {
  readonly told: readonly Told[];
  readonly suppressed: Services['suppressed'];
}

/** Most pairs are known: to see that takes one statement for those of many callers. Two people who turn out to be one take a transaction. */
const learn = defineStatementBatch<Item, readonly SuppressionChange[]>(
  'acquaintances',
  async (sql, items, _by, database) => {
    const strangers = await FIND_STRANGERS.run(sql, { told: items.flatMap(({ told }) => told) });
    const seen = strangers.map(stranger => ({ ...stranger, is_theirs: false, isNews: true }));
    const [first] = items;
    // The first caller brings all of them to the table of the process, which is the same for all.
    const changes =
      seen.length === 0 || !first
        ? []
        : await database.prepared.transaction(within => learnPeople(within, first.suppressed, seen));
    return items.map(item => (item === first ? changes : []));
  },
);

/** Learns who is who. A pair of no known attempt is passed over. @throws AppError `database_unavailable` */
export async function learnAcquaintances(
  { services: { database, suppressed } }: Ctx,
  people: readonly Acquaintance[],
  connections: readonly { readonly id: string }[],
): Promise<void> {
  const by = connections.map(({ id }) => toUuid(id));
  const told = people.flatMap(person => toldOf(person, by));
  if (told.length === 0) return;
  for (const change of await learn(database)({ told, suppressed })) suppressed.note(change);
}

function toldOf(
  { attemptId, providerMessageId: provider_message_id, number, userId: user_id, username }: Acquaintance,
  by: readonly string[],
): Told[] {
  const attempt = parseId('att', attemptId ?? '');
  const digits = parsePhone(number)?.digits;
  if (!digits || !isStorableText(user_id) || !isStorableText(provider_message_id)) return [];
  const name = username === null ? null : storableText(username.slice(0, NAME_MAX));
  const told = { attempt_id: attempt && toUuid(attempt), provider_message_id, number: digits, user_id, name };
  return by.map(connection_id => ({ ...told, connection_id }));
}
