/** Following what happens over restarts of the gateway. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import type { Output } from '../output.ts';
import { Refusal } from '../refusal.ts';
import { connectToGateway } from './connect.ts';
import type { Operator } from './operator.ts';

/** How long to wait before a gateway is looked for again. */
const RETRY_MS = 500;

/** Codes of refusals that pass by themselves; one without a code is a broken connection. */
const PASSING: ReadonlySet<string | null> = new Set([null, 'overloaded', 'database_unavailable']);

/** A subscription to follow, and its callbacks. */
export interface Following<Data> {
  readonly config: Config;
  readonly operator: Operator;
  readonly signal: AbortSignal;
  readonly say: (message: string) => void;
  /** Begins to follow. @throws Refusal where that is not allowed */
  begin(operator: Operator): Promise<AsyncIterable<Data>>;
  /** Called each time once nothing more is missed. `isAgain`: after a break. */
  begun(operator: Operator, isAgain: boolean): Promise<void> | void;
  each(data: Data): Promise<void> | void;
}

/** Follows until the signal aborts, and waits for a gateway that restarts. @throws Refusal where it cannot begin, or may not go on. */
export async function stay<Data>(following: Following<Data>): Promise<void> {
  const { config, signal, say, begin, begun, each } = following;
  let { operator } = following;
  let state: 'new' | 'following' | 'waiting' = 'new';
  while (!signal.aborted) {
    try {
      const told = await begin(operator);
      await begun(operator, state !== 'new');
      state = 'following';
      for await (const data of told) await each(data);
    } catch (error) {
      if (signal.aborted) return;
      if (state === 'new' || !(error instanceof Refusal) || !PASSING.has(error.code)) throw error;
      if (state === 'following') say(`${error.message} Waiting for it to come back …`);
      state = 'waiting';
      operator = await nextOperator(config, operator, signal);
    }
  }
}

/** Whom to follow now. */
async function nextOperator(config: Config, operator: Operator, signal: AbortSignal): Promise<Operator> {
  if (operator.place === 'gateway') return (await nextGateway(config, signal)) ?? operator;
  await pause(signal);
  return operator;
}

/** The next gateway that runs; null: the signal came first. Never opens the embedded database, which the gateway needs when it starts. */
async function nextGateway(config: Config, signal: AbortSignal): Promise<Operator | null> {
  let next: Operator | null = null;
  while (!next && !signal.aborted) {
    await pause(signal);
    next = await connectToGateway(config);
  }
  return next;
}

function pause(signal: AbortSignal): Promise<void> {
  return delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
}

/**
 * Whom to follow from the start; null: the signal came first. Nobody else writes to an embedded database that this process holds, and no gateway can start on
 * it. So it is closed, and a gateway is waited for.
 */
export async function reachWriter(
  { operator, out }: { readonly operator: Operator; readonly out: Output },
  config: Config,
  signal: AbortSignal,
): Promise<Operator | null> {
  if (operator.place !== 'process' || config.databaseUrl !== null) return operator;
  await operator.close();
  out.say('No gateway runs: waiting for one …');
  return nextGateway(config, signal);
}
