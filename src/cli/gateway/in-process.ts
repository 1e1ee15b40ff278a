/** The operator in this process, where no gateway runs: the database is opened for one command, and nothing works or listens. */

import { randomUUID } from 'node:crypto';
import { execute, type GraphQLError, parse, subscribe } from 'graphql';
import { type App, openApp } from '../../app.ts';
import type { Config } from '../../config.ts';
import type { Ctx } from '../../context.ts';
import { templateOf } from '../../db/embedded/embedded-template.ts';
import { toAppError } from '../../db/failures.ts';
import { PATIENCE_MS, patiently } from '../../db/postgres/bounded-client.ts';
import { noSuchAccount } from '../../kernel/errors.ts';
import { COMMAND_LINE_AGENT } from '../../kernel/network/command-line.ts';
import type { LogLevel } from '../../kernel/settings/settings.ts';
import { loadAccount } from '../../modules/accounts/load-account.ts';
import { createLogger } from '../../observability/logger.ts';
import { Refusal } from '../refusal.ts';
import { type FollowOptions, type Operation, type Operator, readResult } from './operator.ts';

/** Steps that take longer are announced, so that nobody takes a command for a hang. */
const SLOW_STEP_MS = 1_000;

/** Opens a gateway that does not start, and asks its schema. @throws StartError */
export async function inProcess(
  config: Config,
  say: (message: string) => void,
  { anyKey = false }: { readonly anyKey?: boolean } = {},
): Promise<Operator> {
  const app = await openApp(
    // A process that only answers: it keeps no queue in order and runs no jobs. Statements have no time limit: a person who waits can end the command.
    { ...config, role: 'api', databaseLimits: { ...config.databaseLimits, statementTimeoutMs: 0 } },
    { log: createLogger(quieter(config.logLevel)), anyKey, onStep: name => announceSlow(name, say), templateOf },
  );
  return {
    place: 'process',
    async run(operation, variables, accountId) {
      const contextValue = await contextOf(app, accountId);
      const document = parse(operation.document);
      // A person who waits can end the command.
      const answer = await patiently(PATIENCE_MS.wholeTables, () =>
        execute({ schema: app.schema, document, variableValues: variables, contextValue }),
      );
      return readAnswer(operation, answer, contextValue);
    },
    async follow(operation, variables, accountId, options) {
      const contextValue = await contextOf(app, accountId);
      const document = parse(operation.document);
      const answers = await subscribe({ schema: app.schema, document, variableValues: variables, contextValue });
      if (!(Symbol.asyncIterator in answers)) {
        readAnswer(operation, answers, contextValue);
        throw new Refusal(null, 'The subscription could not begin.');
      }
      options.signal.addEventListener('abort', () => void answers.return(undefined), { once: true });
      return readAnswers(operation, answers, contextValue, options);
    },
    close: () => app.stop(),
  };
}

/** Ordinary news of the gateway is no message of a command. */
function quieter(level: LogLevel): LogLevel {
  return level === 'info' || level === 'warn' ? 'error' : level;
}

function announceSlow(name: string, say: (message: string) => void): () => void {
  const timer = setTimeout(() => say(`${name} …`), SLOW_STEP_MS);
  return () => clearTimeout(timer);
}

async function contextOf(app: App, accountId: string | undefined): Promise<Ctx> {
  const account = accountId === undefined ? null : await loadAccount(app.services.database, accountId);
  if (accountId !== undefined && account === null) throw new Refusal('not_found', noSuchAccount().message);
  const request = new Request(app.services.home.url(), { headers: { 'user-agent': COMMAND_LINE_AGENT } });
  return app.makeCtx({ kind: 'operator', account }, `cli_${randomUUID()}`, request);
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLError[] | undefined;
}

async function* readAnswers<Data>(
  operation: Operation<Data>,
  answers: AsyncIterable<Answer>,
  ctx: Ctx,
  { leftOut }: FollowOptions,
): AsyncGenerator<Data, void> {
  const { gap } = ctx.request;
  try {
    for await (const answer of answers) {
      if (gap.rows > 0) leftOut(gap.rows);
      gap.rows = 0;
      yield readAnswer(operation, answer, ctx);
    }
  } catch (error) {
    throw toRefusal(error, ctx);
  }
}

/** The same value as over HTTP: written as JSON and read again, times and enums included. */
function readAnswer<Data>(operation: Operation<Data>, { data, errors }: Answer, ctx: Ctx): Data {
  const [error] = errors ?? [];
  if (error) throw toRefusal(error, ctx);
  const result = readResult(operation, JSON.parse(JSON.stringify({ data })));
  if (!result) throw new Refusal(null, 'The schema answered with what this command does not understand.');
  return result.data;
}

function toRefusal(error: unknown, ctx: Ctx): Error {
  if (error instanceof Refusal) return error;
  const known = toAppError(error);
  if (known) return new Refusal(known.code, known.message, error, known.details.errors);
  // A value that does not fit its type has no original: GraphQL itself refused it.
  const original = error instanceof Error && 'originalError' in error ? error.originalError : error;
  if (!original && error instanceof Error) return new Refusal('invalid_input', error.message, error);
  ctx.log.error({ err: error }, 'an unexpected error');
  return new Refusal('internal_error', 'Something went wrong; the log above tells what.', error);
}
