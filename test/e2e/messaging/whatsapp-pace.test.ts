import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { newPhone } from '../../support/otp/pins.ts';
import {
  ask,
  type Demo,
  type Gateway,
  operatorTokenOf,
  seedDemo,
  startGateway,
} from '../../support/processes/gateway.ts';
import type { Got } from '../../support/processes/graph-process.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { HELLO_TEMPLATE } from '../../support/whatsapp/defaults.ts';

const USUAL = 800;

/** A night sends 10,000. */
const SENDS = rounds({ usual: USUAL, long: 10_000 });

/** Meta counts by the second. Beside other tests processes stand still for parts of one, and what waited arrives together: there it is counted over five. */
const SECONDS = SENDS === USUAL ? 5 : 1;
const RATES = { number: { count: 80 * SECONDS, perMs: 1_000 * SECONDS } };

/** So many wait at each gateway at once. */
const AT_ONCE = 40;

describePostgres('a number that sends as much as Meta allows, over two gateways', () => {
  let database: TestDatabase;
  let gateways: [Gateway, Gateway];
  let demo: Demo;
  let graph: ChildProcess;

  beforeAll(async () => {
    database = await createDatabase();
    if (database.kind !== 'postgres') return;
    const { url: databaseUrl } = database;
    graph = fork(join(import.meta.dirname, '../../support/processes/graph-process.ts'), [JSON.stringify(RATES)], {
      execArgv: [],
    });
    const [config] = await once(graph, 'message');
    gateways = await Promise.all([startGateway({ databaseUrl }), startGateway({ databaseUrl })]);
    demo = await seedDemo(gateways[0]);
    const input = { accountId: demo.accountId, provider: 'whatsapp-cloud', channel: 'CHAT_CLOUD', name: 'Cloud' };
    await ask(
      gateways[0],
      await operatorTokenOf(gateways[0]),
      'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }',
      { input: { ...input, config } },
    );
  });

  afterAll(async () => {
    for (const gateway of gateways) gateway.kill('SIGTERM');
    await Promise.all(gateways.map(gateway => gateway.exited));
    graph.disconnect();
    await database.drop();
  });

  test('is never told that it was too much, and sends all', { timeout: 60_000 + SENDS * 20 }, async () => {
    const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }';
    const { name, language } = HELLO_TEMPLATE;
    const turns = gateways.map(() => pLimit(AT_ONCE));
    const statuses = await Promise.all(
      Array.from({ length: SENDS }, (_, index) => {
        const gateway = gateways[index % 2 === 0 ? 0 : 1];
        const input = { to: newPhone(), text: 'Hello', channels: ['CHAT_CLOUD'], cloudTemplate: { name, language } };
        return turns[index % 2]?.(async () => {
          const { sendMessage } = await ask<{ sendMessage: { status: string } }>(gateway, demo.tokens.unified, query, {
            input,
          });
          return sendMessage.status;
        });
      }),
    );
    expect(new Set(statuses)).toEqual(new Set(['SENT']));
    // A refusal would have been tried again: each was asked for once.
    graph.send('count');
    const [got] = await once(graph, 'message');
    expect(got).toEqual({ asked: SENDS, taken: SENDS } satisfies Got);
  });
});
