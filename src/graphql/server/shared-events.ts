/** Shares the result for one event between followers that ask the same: GraphQL runs once for all of them. */
import { hash } from 'node:crypto';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  mapSourceToResponseEvent,
  type ValidatedSubscriptionArgs,
  validateSubscriptionArgs,
} from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Actor, Ctx } from '../../context.ts';

type Told = ExecutionResult | Promise<ExecutionResult>;

/** The results for each event, by caller and question. An event is one object for all followers of a process, gone when they have it. */
type Answers = WeakMap<object, Map<string, Told>>;

/**
 * Runs subscriptions so that followers with the same text, variables and actor share the result for an event. An account may follow
 * by dozens of streams, and each run of GraphQL holds up the one thread of a process.
 */
export function sharedEvents(): Plugin<Ctx> {
  const answers: Answers = new WeakMap();
  return {
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(given => subscribe(given, answers)),
  };
}

async function subscribe(
  given: ExecutionArgs,
  answers: Answers,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const args = validateSubscriptionArgs(given);
  if (!('schema' in args)) return { errors: args };
  const events = await createSourceEventStream(args);
  if (!isAsyncIterable(events)) return events as ExecutionResult;
  const key = keyOf(given);
  return mapSourceToResponseEvent(args, events, key === null ? undefined : shareBy(key, answers));
}

/** A hash of actor, text and variables, as the parser may make two documents of one text. Null: the result is not shared. */
function keyOf({ contextValue, document, operationName, variableValues }: ExecutionArgs): string | null {
  const actor = actorKey((contextValue as Ctx).actor);
  const text = document.loc?.source.body;
  if (actor === null || text === undefined) return null;
  return hash('sha256', JSON.stringify([actor, text, operationName ?? null, variableValues ?? {}]));
}

/** A key of a token, or of a person in a role. Null: results are not shared, as for an operator, who looks at many accounts, each of them rarely. */
function actorKey(actor: Actor): string | null {
  if (actor.kind === 'token') return actor.tokenId;
  return actor.kind === 'user' ? `${actor.userId} ${actor.role}` : null;
}

function shareBy(key: string, answers: Answers) {
  return (args: ValidatedSubscriptionArgs): Told => {
    const event = args.rootValue as object;
    const ofEvent = answers.get(event) ?? new Map<string, Told>();
    const shared = ofEvent.get(key);
    if (shared) return orOwn(shared, () => executeSubscriptionEvent(args));
    const told = executeSubscriptionEvent(args);
    answers.set(event, ofEvent.set(key, told));
    return told;
  };
}

/** The result for another follower, else an own one where that failed: the other may have gone before its end. */
function orOwn(shared: Told, own: () => Told): Told {
  const unlessFailed = (result: ExecutionResult): Told => (result.errors ? own() : result);
  return shared instanceof Promise ? shared.then(unlessFailed, own) : unlessFailed(shared);
}
