/** What is told of one event to followers that ask the same: GraphQL runs once for all of them. */
import {
  createSourceEventStream,
  type DocumentNode,
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

/** What each document was answered of an event, by who asked it and with which variables. */
type Answers = WeakMap<DocumentNode, Map<string, Told>>;

/**
 * Runs subscriptions so that followers with the same document, variables and actor share what is told of an event: an account may follow by dozens of
 * streams, and each run of GraphQL holds up the one thread of a process.
 */
export function sharedEvents(): Plugin<Ctx> {
  // An event is one object for all followers of a process, and gone when they have it.
  const answers = new WeakMap<object, Answers>();
  return {
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(given => subscribe(given, answers)),
  };
}

async function subscribe(
  given: ExecutionArgs,
  answers: WeakMap<object, Answers>,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const args = validateSubscriptionArgs(given);
  if (!('schema' in args)) return { errors: args };
  const events = await createSourceEventStream(args);
  if (!isAsyncIterable(events)) return events as ExecutionResult;
  const key = keyOf(given);
  return mapSourceToResponseEvent(args, events, key === null ? undefined : shareBy(given.document, key, answers));
}

/** Who asks, with which variables; null: nobody else may be told the same. */
function keyOf({ contextValue, operationName, variableValues }: ExecutionArgs): string | null {
  const actor = actorKey((contextValue as Ctx).actor);
  return actor === null ? null : JSON.stringify([actor, operationName ?? null, variableValues ?? {}]);
}

/** An operator looks at many accounts, each of them rarely. */
function actorKey(actor: Actor): string | null {
  if (actor.kind === 'token') return actor.tokenId;
  return actor.kind === 'user' ? `${actor.userId} ${actor.role}` : null;
}

function shareBy(document: DocumentNode, key: string, answers: WeakMap<object, Answers>) {
  return (args: ValidatedSubscriptionArgs): Told => {
    const event = args.rootValue as object;
    const ofEvent = answers.get(event) ?? new WeakMap<DocumentNode, Map<string, Told>>();
    const ofDocument = ofEvent.get(document) ?? new Map<string, Told>();
    const shared = ofDocument.get(key);
    if (shared) return orOwn(shared, () => executeSubscriptionEvent(args));
    const told = executeSubscriptionEvent(args);
    ofDocument.set(key, told);
    answers.set(event, ofEvent.set(document, ofDocument));
    return told;
  };
}

/** What was told to another follower, unless that failed: the other may only have been gone before it was told. */
function orOwn(shared: Told, own: () => Told): Told {
  const unlessFailed = (result: ExecutionResult): Told => (result.errors ? own() : result);
  return shared instanceof Promise ? shared.then(unlessFailed, own) : unlessFailed(shared);
}
