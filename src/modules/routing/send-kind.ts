/** The kinds of sends: messages and OTPs. Their routing is the same but for the members of `SendKind`. */
import type { CloudTemplate } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import type { Batch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import type { Channel, Purpose } from '../../kernel/channel.ts';
import type { SuccessStatus } from '../../kernel/status.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import type { NamedSenders } from './routing.policy.ts';
import type { Send } from './send.ts';
import type { SendTable } from './settle.sql.ts';
import type { Outcome, Settled, SettleItem } from './settle.ts';
import type { AttemptOwner } from './under-way.ts';

/** A send with the facts that its route was planned from. */
export interface Resumable extends Send, NamedSenders {
  /** The channels of the route, in order. */
  readonly channels: readonly Channel[];
  /** The attempts under way, as the row had them when it was read. */
  readonly underWay?: string | null | undefined;
  /** The template of its cloud channel; null: it goes as free text. */
  readonly cloudTemplate?: CloudTemplate | null | undefined;
  /** Credits that its SMS holds, as of then. */
  readonly held: number;
  /** Seconds that an accepted channel has before the next one follows; null: none follows it. */
  readonly fallbackAfter?: number | null | undefined;
  /** The status that it has to reach by then. */
  readonly successStatus?: SuccessStatus | null | undefined;
  /** Whether its recipient gets it though it asked for no more. */
  readonly goesToSuppressed?: boolean | undefined;
}

/** The state of a routing, as the process that left it knows it. */
export interface Known {
  /** The attempts with their outcomes; one that is pending was never made. */
  readonly attempts: readonly ChannelAttempt[];
  /** Whether somebody was told that the request failed: nothing more of it is made. */
  readonly isWithdrawn: boolean;
}

/** The content that a provider is given for one channel. */
export interface Content {
  readonly text: string;
  readonly template: CloudTemplate | null;
  /** The code of an OTP: kept nowhere, not even where the provider repeats it. Null: nothing is secret. */
  readonly secret: string | null;
  /** How long it is worth anything, in seconds; null: without end. */
  readonly validitySeconds: number | null;
}

/** The differences between the kinds. */
export interface SendKind<Kind extends Send> {
  /** The fields of an attempt that name its send. */
  attemptOf(send: Kind): AttemptOwner;
  /** The content that goes out over a channel. Made when it is needed: the text of an OTP is kept nowhere. */
  contentOf(ctx: Ctx, send: Kind, channel: Channel): Content;
  /** Writes the end of the routing into the send, and answers it for the settle. */
  end(send: Kind, attempts: readonly ChannelAttempt[]): Outcome;
  /** The purpose, for the choice of a connection. */
  readonly purpose: Purpose;
  /** The table of its rows. */
  readonly table: SendTable['table'];
  /** The batch that settles its steps. */
  readonly settle: (database: Database) => Batch<SettleItem, Settled | null>;
  /** The id of a row. */
  idOf(uuid: string): string;
  /** Goes on with one that was left under this lease. @param known its state as this process knows it, where the send is its own */
  resume(ctx: Ctx, id: string, lease: string, known: Known | null): Promise<void>;
  /** Told when a send was withdrawn of which nothing has gone out: the same request may come again at once. */
  withdrawn(ctx: Ctx, send: Kind): Promise<void>;
  /** Told when the routing is over, for metrics and the process log. */
  routed(ctx: Ctx, send: Kind): void;
}
