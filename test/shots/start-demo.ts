/** A gateway with its demo account, as a first start makes it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { startChild, stopChild } from '../bench/kit/children.ts';
import { START, untilListening } from '../bench/kit/gateway.ts';
import type { Demo } from '../support/processes/gateway.ts';

/** A gateway that listens. */
export interface RunningDemo extends Demo {
  readonly operatorToken: string;
  /** Asks in GraphQL as the operator. @throws Error on GraphQL errors */
  operate<Data>(query: string, input: unknown): Promise<Data>;
  /** Signs a browser in: as the user of the demo account, or as whom the mutation says. */
  signIn(context: BrowserContext, how?: SignIn): Promise<void>;
  stop(): Promise<void>;
}

/** A mutation that signs somebody in. */
export interface SignIn {
  readonly query: string;
  readonly variables: object;
}

/** Starts it on a data directory. */
export async function startDemo(dataDir: string): Promise<RunningDemo> {
  const child = startChild(process.execPath, START, {
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  await untilListening(child);
  const demo: Demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  const operator = (await readFile(join(dataDir, 'operator.token'), 'utf8')).trim();
  return {
    ...demo,
    operatorToken: operator,
    operate: async <Data>(query: string, input: unknown) => {
      const response = await fetch(`${demo.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { input } }),
      });
      const { data, errors } = (await response.json()) as { data: { result: Data }; errors?: unknown };
      if (errors) throw new Error(`the operator was refused: ${JSON.stringify(errors)}`);
      return data.result;
    },
    signIn: async (context, how) => {
      const answer = await context.request.post(`${demo.url}/graphql`, {
        headers: { origin: demo.url },
        data: how ?? {
          query: 'mutation ($input: SignInInput!) { signIn(input: $input) { kind } }',
          variables: { input: demo.dashboard },
        },
      });
      if ((await answer.json()).errors) throw new Error('signing in was refused');
    },
    stop: () => stopChild(child),
  };
}
