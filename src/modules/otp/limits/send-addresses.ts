/** The limit of sends by the end user's address. Part of the batch *issue*, in one transaction with it. */
import type { Sql } from '../../../db/statements/sql.ts';
import type { AppError } from '../../../kernel/errors.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import { LimitError } from '../../../kernel/rate-limit.ts';
import type { IssueItem } from '../send/issue-item.ts';
import { ADDRESS_WINDOW_SECONDS, GIVE_BACK_SENDS, TAKE_SENDS } from './send-addresses.sql.ts';

/** An address of an account with the places that it has for the sends of the group. */
interface Places {
  readonly account_id: string;
  readonly address: string;
  /** Those that no send has used. */
  places: number;
  /** Seconds until one more fits, once they are used up. */
  readonly waitSeconds: number;
}

/** The places that a group of sends has taken. A send takes one of them for a round, and hands it back where it is refused. */
export interface AddressPlaces {
  /** Why a send has no place; null: it has one, or needs none. */
  refusalOf(item: IssueItem): AppError | null;
  /** Whether a send gets a place in this round. One that needs none may always go. */
  take(item: IssueItem): boolean;
  /** Hands back the place of a send that was refused for another reason. */
  release(item: IssueItem): void;
  /** Gives the database back what no send has used. */
  giveBack(): Promise<void>;
}

/** Takes places for those of the sends that name an address, where the account limits them. Without one, no statement is run. */
export async function takePlaces(sql: Sql, items: readonly IssueItem[]): Promise<AddressPlaces> {
  const taken = await placesOf(sql, items);
  const find = (item: IssueItem): Places | undefined => (isLimited(item) ? taken.get(addressOf(item)) : undefined);
  return {
    refusalOf(item) {
      const found = find(item);
      const quota = item.settings.sendsPerAddress;
      return found?.places === 0 && quota !== null ? tooManyForAddress(quota, found.waitSeconds) : null;
    },
    take(item) {
      const found = find(item);
      if (!found) return true;
      if (found.places === 0) return false;
      found.places -= 1;
      return true;
    },
    release(item) {
      const found = find(item);
      if (found) found.places += 1;
    },
    async giveBack() {
      const left = [...taken.values()].filter(({ places }) => places > 0);
      if (left.length > 0) await GIVE_BACK_SENDS.run(sql, { left });
    },
  };
}

async function placesOf(sql: Sql, items: readonly IssueItem[]): Promise<Map<string, Places>> {
  const groups = Map.groupBy(items.filter(isLimited), addressOf);
  if (groups.size === 0) return new Map();
  const rows = await TAKE_SENDS.run(sql, { asked: [...groups.values()].flatMap(askedRow) });
  return new Map(
    rows.map(({ account_id, address, admitted, wait }) => [
      `${fromUuid('acc', account_id)} ${address}`,
      { account_id, address, places: admitted, waitSeconds: wait ?? 1 },
    ]),
  );
}

function isLimited({ address, settings }: IssueItem): boolean {
  return address !== null && settings.sendsPerAddress !== null;
}

/** The address of a send, of one account. */
function addressOf({ otp, address }: IssueItem): string {
  return `${otp.accountId} ${address}`;
}

/** The sends of one address as a row of the statement. */
function askedRow(group: readonly IssueItem[]): Parameters<typeof TAKE_SENDS.run>[1]['asked'] {
  const [first] = group;
  const quota = first?.settings.sendsPerAddress ?? null;
  if (!first?.address || quota === null) return [];
  const { otp, address } = first;
  return [{ account_id: toUuid(otp.accountId), address, asked: group.length, per_hour: quota }];
}

function tooManyForAddress(quota: number, seconds: number): AppError {
  const policy = { name: 'otp-sends-address', quota, windowSeconds: ADDRESS_WINDOW_SECONDS };
  const message = `Too many passcodes were sent for this clientIp: the limit is ${quota} an hour. Try again later.`;
  return new LimitError('rate_limited', message, policy, seconds);
}
