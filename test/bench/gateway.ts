/** A gateway as a process of its own, with an account that may send. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startChild, stopChild } from './children.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The SMS sender of the account. */
export const SENDER = 'BENCH';

/** Which gateway: as `npm start` runs it, or with a commit of its own for each change. */
export type GatewayKind = 'grouped' | 'ungrouped';

/** A gateway that answers. */
export interface Gateway {
  readonly url: string;
  /** Opens the area `unified` of the account. */
  readonly token: string;
  stop(): Promise<void>;
}

/** Starts a gateway on a database, which it migrates, and makes an account by the operator's API. */
export async function startGateway(kind: GatewayKind, databaseUrl: string): Promise<Gateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-bench-'));
  const operatorToken = randomBytes(32).toString('base64url');
  const entry = kind === 'grouped' ? join(ROOT, 'src/start.js') : join(import.meta.dirname, 'gateway-process.ts');
  const child = startChild(process.execPath, [entry], {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    OPERATOR_TOKEN: operatorToken,
    PORT: '0',
    LOG_LEVEL: 'warn',
  });
  const stop = async (): Promise<void> => {
    await stopChild(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const url = await untilListening(child);
    return { url, token: await makeAccount(url, operatorToken), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilListening(child: Child): Promise<string> {
  for (;;) {
    const url = /listens on (http:\S+)/.exec(child.errors())?.[1];
    if (url) return url;
    if (child.process.exitCode !== null) throw new Error(`the gateway did not start:\n${child.errors()}`);
    await Promise.race([once(child.process, 'exit'), child.process.stderr ? once(child.process.stderr, 'data') : null]);
  }
}

async function makeAccount(url: string, operatorToken: string): Promise<string> {
  const ask = async <Data>(query: string, input: object): Promise<Data> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${operatorToken}` },
      body: JSON.stringify({ query, variables: { input } }),
    });
    const text = await response.text();
    const { data, errors }: { data?: Data; errors?: unknown } = JSON.parse(text);
    if (errors || !data) throw new Error(`the gateway refused: ${text}`);
    return data;
  };
  const { result: account } = await ask<{ result: { accountId: string } }>(
    'mutation ($input: CreateAccountInput!) { result: createAccount(input: $input) { accountId } }',
    { name: 'Bench' },
  );
  const { accountId } = account;
  await ask('mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }', {
    accountId,
    rateLimit: null,
  });
  await ask('mutation ($input: SenderInput!) { addSender(input: $input) { id } }', { accountId, name: SENDER });
  await ask('mutation ($input: SenderInput!) { approveSender(input: $input) { id } }', { accountId, name: SENDER });
  const { result: token } = await ask<{ result: { secret: string } }>(
    'mutation ($input: CreateTokenInput!) { result: createToken(input: $input) { secret } }',
    { accountId, area: 'UNIFIED' },
  );
  return token.secret;
}
