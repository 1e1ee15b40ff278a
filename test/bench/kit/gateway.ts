/** A gateway as a process of its own, with an account that may send. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Child, startChild, stopChild } from './children.ts';
import { RowFault } from './databases.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The program of `npm start`, with its flags: after `exec node`, the file is last. */
export const START: readonly string[] = packageJson.scripts.start
  .split(' ')
  .slice(2)
  .map(argument => (argument.startsWith('-') ? argument : join(ROOT, argument)));

/** The SMS sender of every account. */
export const SENDER = 'BENCH';

/**
 * The kinds of gateway: as `npm start` runs it; with a commit of its own for each change; or telling the codes of its OTPs
 * (`load/codes.ts`).
 */
export type GatewayKind = 'grouped' | 'ungrouped' | 'tapped';

/**
 * Runs a mutation with one input as the operator, who may act for an account, and answers its field `result`.
 * @throws Error on a refusal
 */
export type Operate = <Result>(mutation: string, input: object, accountId?: string) => Promise<Result>;

/** A limit of requests that is counted and never reached. */
const RATE_LIMIT = 1_000_000;

/** More than a bench can spend. */
const CREDITS = 1_000_000_000;

/** An account that may send by SMS, with a limit of requests that is never reached. */
export interface BenchAccount {
  readonly accountId: string;
  /** Opens the area `unified`. */
  readonly token: string;
}

/** A gateway that answers, with an account. */
export interface Gateway extends BenchAccount {
  readonly url: string;
  readonly pid: number;
  /** The socket at which a `tapped` gateway tells the codes of its OTPs. */
  readonly codes: string;
  readonly operate: Operate;
}

/**
 * Gives `use` a gateway on a database, with an account that the operator's API made, and stops it whatever happens. The gateway migrates
 * the database. `rateLimit` is the account's, null: none.
 * @throws the error of `use`; one that is not about rows comes with the gateway's own words
 */
export async function withGateway<Result>(
  kind: GatewayKind,
  databaseUrl: string,
  use: (gateway: Gateway) => Promise<Result>,
  rateLimit: number | null = RATE_LIMIT,
): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-bench-'));
  try {
    return await withGatewayOn(dataDir, kind, { DATABASE_URL: databaseUrl }, use, rateLimit);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The same on a data directory of the caller's, with settings of its own: without `DATABASE_URL` its database is embedded. @throws the same */
export async function withGatewayOn<Result>(
  dataDir: string,
  kind: GatewayKind,
  settings: Readonly<Record<string, string>>,
  use: (gateway: Gateway) => Promise<Result>,
  rateLimit: number | null = RATE_LIMIT,
): Promise<Result> {
  const codes = join(dataDir, 'codes.sock');
  const operatorToken = randomBytes(32).toString('base64url');
  const program = kind === 'grouped' ? START : [join(import.meta.dirname, 'gateway-process.ts'), kind, codes];
  const child = startChild(process.execPath, program, {
    ...settings,
    DATA_DIR: dataDir,
    OPERATOR_TOKEN: operatorToken,
    // Each gateway has a data directory of its own, and a database may see several.
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    // The receivers of webhooks are on this machine.
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  try {
    const url = await untilListening(child);
    const operate = operator(url, operatorToken);
    const account = await makeAccount(operate, rateLimit);
    return await use({ url, pid: child.process.pid ?? 0, codes, operate, ...account });
  } catch (error) {
    if (error instanceof RowFault) throw error;
    throw new Error(`a gateway (${kind}) failed; it said:\n${child.errors()}`, { cause: error });
  } finally {
    await stopChild(child);
  }
}

/** Waits until a gateway says that it listens, and answers its URL. @throws Error if it ends before that */
export async function untilListening(child: Child): Promise<string> {
  for (;;) {
    const url = /listens on (http:\S+)/.exec(child.errors())?.[1];
    if (url) return url;
    if (child.process.exitCode !== null) throw new Error('the gateway did not start');
    await Promise.race([once(child.process, 'exit'), child.process.stderr ? once(child.process.stderr, 'data') : null]);
  }
}

/** Runs mutations at a gateway with the operator's token. */
export function operator(url: string, token: string): Operate {
  return async <Result>(query: string, input: object, accountId?: string) => {
    const actsFor = accountId === undefined ? {} : { 'x-account-id': accountId };
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...actsFor },
      body: JSON.stringify({ query, variables: { input } }),
    });
    const text = await response.text();
    const { data, errors }: { data?: { result: Result }; errors?: unknown } = JSON.parse(text);
    if (errors || !data) throw new Error(`the gateway refused: ${text}`);
    return data.result;
  };
}

/** Makes an account that may send, and can pay it. */
export async function makeAccount(operate: Operate, rateLimit: number | null = RATE_LIMIT): Promise<BenchAccount> {
  const { accountId } = await operate<{ accountId: string }>(
    'mutation ($input: CreateAccountInput!) { result: createAccount(input: $input) { accountId } }',
    { name: 'Bench' },
  );
  await operate('mutation ($input: UpdateAccountInput!) { result: updateAccount(input: $input) { id } }', {
    accountId,
    rateLimit,
  });
  await operate('mutation ($input: AdjustBalanceInput!) { result: adjustBalance(input: $input) { credits } }', {
    accountId,
    credits: CREDITS,
    reason: 'bench',
  });
  const sender = { accountId, name: SENDER };
  await operate('mutation ($input: SenderInput!) { result: addSender(input: $input) { id } }', sender);
  await operate('mutation ($input: SenderInput!) { result: approveSender(input: $input) { id } }', sender);
  const { secret } = await operate<{ secret: string }>(
    'mutation ($input: CreateTokenInput!) { result: createToken(input: $input) { secret } }',
    { accountId, area: 'UNIFIED' },
  );
  return { accountId, token: secret };
}
