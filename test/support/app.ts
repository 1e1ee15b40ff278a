import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, type AppOptions, openApp } from '../../src/app.ts';
import type { Provider, SendRequest } from '../../src/channels/contract.ts';
import type { SendOutcome } from '../../src/channels/outcome.ts';
import type { Providers } from '../../src/channels/providers.ts';
import { readConfig } from '../../src/config.ts';
import { runSql } from '../../src/db/statements/sql.ts';
import type { Area } from '../../src/kernel/crypto/secrets.ts';
import { newId } from '../../src/kernel/ids.ts';
import { createDatabase, type TestDatabase } from './databases/database.ts';
import { rememberKeys, TOLD } from './leaks/leak-scan.ts';
import { makeAccount, type TestAccount } from './services.ts';

/** The operator's token of every test application. */
export const OPERATOR_TOKEN = 'op_0123456789abcdef0123456789abcdef0123456789abcdef';

/** The token, body and headers of a REST call. */
export interface RestCall {
  readonly token?: string | null | undefined;
  /** Sent as JSON, or as it is where it is text, bytes or a stream. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** An answer of the facade, read whole. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  /** The body as JSON; null where it is none. */
  readonly body: RestBody;
}

/** Every member that a body of the facade may have; a test names those that it expects. */
export interface RestBody {
  readonly [member: string]: unknown;
  readonly success?: boolean;
  readonly message?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly retryAfter?: number;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly data?: Record<string, unknown>;
}

/** The token, variables and headers of a GraphQL call. */
export interface GraphqlCall {
  readonly token?: string | null | undefined;
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

/** An error as GraphQL shows it. */
export interface GraphqlFault {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly [member: string]: unknown;
    readonly code: string;
    readonly errors?: readonly { readonly field: string; readonly message: string }[];
    readonly retryAfter?: number;
  };
}

/** A GraphQL answer, read whole. */
export interface GraphqlAnswer<Data> extends Omit<RestAnswer, 'body'> {
  readonly data: Data | null;
  readonly errors: readonly GraphqlFault[] | null;
}

/** An account with a live token of each area. */
export interface Customer extends TestAccount {
  readonly tokens: Record<Area, string>;
}

/** The whole application on a database of its own. */
export interface TestApp {
  readonly app: App;
  readonly testDatabase: TestDatabase;
  rest(method: string, path: string, call?: RestCall): Promise<RestAnswer>;
  graphql<Data = Record<string, unknown>>(query: string, call?: GraphqlCall): Promise<GraphqlAnswer<Data>>;
  /** Makes an account, by default with an approved sender of each channel, and its tokens. */
  customer(seed?: Parameters<typeof makeAccount>[1]): Promise<Customer>;
  /** Runs one statement. */
  sql<Row>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Stops the application and drops its database. @throws Error where a reply told a secret of the machine, or had no request id */
  close(): Promise<void>;
}

/** Settings of a test application that differ from the usual ones. */
export interface TestAppOptions extends Partial<AppOptions> {
  readonly env?: Readonly<Record<string, string>>;
  /** Text that replies may hold though it looks private, such as an address that the operator gave; with the flag `g`. */
  readonly mayTell?: RegExp;
}

/** Opens the application as `npm start` does, but for the port and the worker, with the settings of `env`. Close it in `afterAll`. */
export async function createTestApp({ env = {}, mayTell, ...options }: TestAppOptions = {}): Promise<TestApp> {
  const testDatabase = await createDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-app-'));
  const config = readConfig({
    DATA_DIR: dataDir,
    OPERATOR_TOKEN,
    PORT: '0',
    ...(testDatabase.kind === 'postgres' ? { DATABASE_URL: testDatabase.url } : {}),
    ...env,
  });
  const app = await openApp(config, {
    log: TOLD.logger(),
    ...(testDatabase.kind === 'pglite' ? { pglite: testDatabase.pglite } : {}),
    ...options,
  });
  const { keys, metrics } = app.services;
  const forgetKeys = rememberKeys(() => keys);
  const replies: string[] = [];
  const send = async (method: string, path: string, call: RestCall): Promise<RestAnswer> => {
    const response = await app.fetch(restRequest(method, path, call));
    const text = await response.text();
    const asked = isRaw(call.body) ? String(call.body) : JSON.stringify(call.body ?? '');
    TOLD.noteAnswer({ place: `an answer of ${method} ${path}`, asked: path + asked }, response.headers, text);
    const told = mayTell ? text.replaceAll(mayTell, '') : text;
    replies.push(`${response.status} ${JSON.stringify([...response.headers])} ${told}`);
    return { status: response.status, headers: response.headers, text, body: readBody(text) };
  };
  return {
    app,
    testDatabase,
    rest: (method, path, call = {}) => send(method, path, call),
    async graphql<Data>(query: string, { variables, ...call }: GraphqlCall = {}) {
      const { body, ...answer } = await send('POST', '/graphql', {
        ...call,
        body: { query, ...(variables && { variables }) },
      });
      return { ...answer, ...readGraphql<Data>(body) };
    },
    customer: seed => makeCustomer(app, seed),
    sql: (text, parameters = []) => runSql(app.services.database.sql(), text, parameters),
    async close() {
      const leaks = replies.filter(
        reply => PRIVATE_PATTERN.test(reply) || reply.includes(process.cwd()) || !reply.includes('["x-request-id"'),
      );
      await app.stop();
      TOLD.noteMetrics(await metrics.registry.metrics());
      await testDatabase.drop();
      forgetKeys();
      await rm(dataDir, { recursive: true, force: true });
      if (leaks.length > 0) throw new Error(`replies that tell too much or have no request id: ${leaks.join('\n')}`);
    },
  };
}

/** A request as a client of the gateway would make it: JSON where there is a body. */
export function restRequest(method: string, path: string, { token, body, headers = {} }: RestCall): Request {
  return new Request(`http://gateway.test${path}`, {
    method,
    headers: {
      ...(token == null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body), duplex: 'half' }),
  });
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> | ReadableStream {
  return typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
}

function readBody(text: string): RestBody {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function readGraphql<Data>(body: RestBody): Pick<GraphqlAnswer<Data>, 'data' | 'errors'> {
  // The test's own query decides the shape.
  const { data, errors } = body as { data?: unknown; errors?: unknown };
  return { data: (data ?? null) as Data | null, errors: (errors ?? null) as readonly GraphqlFault[] | null };
}

async function makeCustomer(app: App, seed: Parameters<typeof makeAccount>[1]): Promise<Customer> {
  const account = await makeAccount(app.services, seed);
  const [unified, sms, otp, management] = await Promise.all([
    account.token('unified'),
    account.token('sms'),
    account.token('otp'),
    account.token('management'),
  ]);
  return { ...account, tokens: { unified, sms, otp, management } };
}

/** A scripted provider: gives the outcome of one attempt. */
export type Script = (request: SendRequest, signal: AbortSignal) => SendOutcome | Promise<SendOutcome>;

/** Providers that do what the script says, whatever the account and channel; none of them remembers anything. */
export function scriptedProviders(script: Script): Providers {
  const provider: Provider = {
    id: 'scripted',
    capabilities: { channels: ['chat_qr', 'chat_cloud', 'sms'], receipts: 'none' },
    send: async (request, signal) => script(request, signal),
  };
  return providersOf(provider);
}

/** Providers of which every attempt takes this one. */
export function providersOf(provider: Provider): Providers {
  return {
    choose: () => [{ connectionId: null, provider }],
    of: () => provider,
    passedOver: () => null,
    explain: () => ({ sentBy: 'account', considered: [] }),
    forTest: () => null,
    retryInMs: () => null,
    refresh: async () => undefined,
  };
}

/** The outcome of a provider that took the message. */
export function acceptedOutcome(): SendOutcome {
  return { kind: 'accepted', providerMessageId: newId('sbx') };
}

/** Text that never stands in a reply: stacks, SQL, addresses of the database, paths of the machine. */
const PRIVATE_PATTERN =
  /node_modules|node:internal|\bat \w+ \(|\.ts:\d+|\/tmp\/|\/home\/|\/root\/|postgres(ql)?:\/\/|\b(insert into|select .{1,80} from|json_populate|idempotency_keys|SQLSTATE|syntax error at or near)\b|127\.0\.0\.1|localhost|originalError|stacktrace/i;
