/** What is routed: a message or an OTP. They share the way of a send, and differ in what a `SendKind` says. */
import type { CloudTemplate } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import type { Batch } from '../../db/batch.ts';
import type { Database } from '../../db/orm.ts';
import type { Channel, DeliveryMode } from '../../kernel/channel.ts';
import type { Area } from '../../kernel/crypto/secrets.ts';
import type { Attempt, ChannelAttempt } from './attempt.entity.ts';
import type { Outcome, SendTable, Settled, SettleItem } from './settle.ts';

/**
 * How long a process may take from one step of a routing to the next before the send is taken from it: the deadline of a
 * provider call (10 s), and slack for the commits around it. Short, since what a dead process left waits for it to end: with the
 * interval of the recovery, and a next channel that takes its whole deadline, an end within 35 s is kept (contract §4).
 */
export const LEASE_SECONDS = 15;

/** The longest that the attempts of one request may take together. */
export const REQUEST_DEADLINE_MS = 25_000;

/**
 * The longest that the channels which follow may take together in a recovery: with the lease of what was left (15 s) and the
 * interval of the rounds (2 s) a definite state comes within 35 s of a restart (contract §4), however slow the providers are.
 */
export const RECOVERY_DEADLINE_MS = 15_000;

/** What both kinds have. */
export interface Send {
  readonly id: string;
  readonly accountId: string;
  readonly area: Area;
  /** The recipient in digits-only form. */
  readonly recipient: string;
  readonly deliveryMode: DeliveryMode;
  /** SMS segments of the text. */
  readonly segments: number;
}

/** A send with what its route was planned from. */
export interface Resumable extends Send {
  /** The channels of the route, in order. */
  readonly channels: readonly Channel[];
  readonly chatFrom?: string | null | undefined;
  readonly sender?: string | null | undefined;
}

/** What the process that left a routing knows of it. */
export interface Known {
  /** The attempts with their outcomes; one that is pending was never made. */
  readonly attempts: readonly ChannelAttempt[];
  /** Whether somebody was told that the request failed: nothing more of it is made. */
  readonly isWithdrawn: boolean;
}

/** What a provider is given for one channel. */
export interface Content {
  readonly text: string;
  readonly template: CloudTemplate | null;
  /** What of it is kept nowhere, not even where the provider repeats it: the code of an OTP. Null: nothing is secret. */
  readonly secret: string | null;
}

/** What sets the kinds apart. */
export interface SendKind<Kind extends Send> {
  /** What an attempt of it says of what it belongs to. */
  attemptOf(send: Kind): Pick<Attempt, 'messageId' | 'pinId' | 'resend' | 'reference' | 'country'> & {
    readonly type: ChannelAttempt['type'];
  };
  /** What goes out over a channel. Made when it is needed: the text of an OTP is kept nowhere. */
  contentOf(ctx: Ctx, send: Kind, channel: Channel): Content;
  /** Writes the end of the routing into the send, and answers it for the settle. */
  end(send: Kind, attempts: readonly ChannelAttempt[]): Outcome;
  /** Where it is kept. */
  readonly table: SendTable['table'];
  /** The batch that settles its steps. */
  readonly settle: (database: Database) => Batch<SettleItem, Settled | null>;
  /** The id of a row. */
  idOf(uuid: string): string;
  /** Goes on with one that was left under this lease. @param known what this process knows of it, where it is its own */
  resume(ctx: Ctx, id: string, lease: string, known: Known | null): Promise<void>;
  /** Told when a send was withdrawn of which nothing has gone out: the same request may come again at once. */
  withdrawn(ctx: Ctx, send: Kind): Promise<void>;
  /** Told when the routing is over, for metrics and the process log. */
  routed(ctx: Ctx, send: Kind): void;
}
