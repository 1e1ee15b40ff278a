/** A gateway with its demo account, as a first start makes it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { startChild, stopChild } from '../bench/kit/children.ts';
import { START, untilListening } from '../bench/kit/gateway.ts';
import type { Demo } from '../support/processes/gateway.ts';

/** A gateway that listens. */
export interface RunningDemo extends Demo {
  /** Signs a browser in as the user of the demo account. */
  signIn(context: BrowserContext): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it on an empty data directory. */
export async function startDemo(dataDir: string): Promise<RunningDemo> {
  const child = startChild(process.execPath, START, {
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  await untilListening(child);
  const demo: Demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  return {
    ...demo,
    signIn: async context => {
      const answer = await context.request.post(`${demo.url}/graphql`, {
        headers: { origin: demo.url },
        data: {
          query: 'mutation ($input: SignInInput!) { signIn(input: $input) { kind } }',
          variables: { input: demo.dashboard },
        },
      });
      if ((await answer.json()).errors) throw new Error('signing in was refused');
    },
    stop: () => stopChild(child),
  };
}
