/** Gateways under test with QR-linked numbers, and the rehearsal server that these are linked to. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type App, openApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { type Customer, OPERATOR_TOKEN, type TestApp } from '../app.ts';
import { holdLatest, setUpApp } from '../fixtures.ts';
import { TOLD } from '../leaks/leak-scan.ts';
import { newPhone } from '../otp/pins.ts';
import { acceptRisks, connectNumber, linkNumber } from './linked.ts';
import { type PairingPeer, startPairingPeer } from './pairing-peer.ts';
import { BAILEYS_DIR } from './peer-library.ts';

/** The sender of the accounts of tests on QR chats. */
export const CHAT_SENDER = '15550000001';

/** A key that two gateways on one database share. */
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

/** An attempt, as an answer tells it. */
export interface ToldAttempt {
  readonly attemptId: string;
  readonly channel: string;
  readonly status: string;
  readonly errorCode: string | null;
}

/** Steps of tests with linked numbers. */
export interface Numbers {
  readonly on: TestApp;
  readonly peer: PairingPeer;
  /** Makes a connection whose number is linked. */
  link(customer: Customer | null, config?: object): Promise<{ readonly connectionId: string; readonly number: string }>;
  /** Sends a text over the chat, and over other channels behind it. */
  send(
    customer: Customer,
    to: string,
    more?: object,
  ): Promise<{ messageId: string; status: string; attempts: ToldAttempt[] }>;
  /** The row of a session. */
  session(connectionId: string): Promise<Record<string, unknown>>;
  /** Waits until the row of a session is so. */
  untilSession(connectionId: string, is: (row: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** Opens another gateway on the same database, and starts it. */
  openOther(): Promise<App>;
}

/** A number that nobody has. */
export const newNumber = (): string => newPhone().slice(1);

/** Sets them up for a file of tests. */
export function setUpNumbers(): Numbers {
  const env = { CHAT_QR_DIR: BAILEYS_DIR, SECRET_KEY };
  const on = setUpApp({ env });
  const peer = holdLatest<PairingPeer>();
  const others: { readonly app: App; readonly dataDir: string }[] = [];
  beforeAll(async () => {
    peer.set(await startPairingPeer());
    Object.assign(process.env, peer.get().env);
    await on.app.start();
  });
  afterAll(async () => {
    for (const { app, dataDir } of others) {
      await app.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
    for (const name of Object.keys(peer.get().env)) delete process.env[name];
    await peer.get()[Symbol.asyncDispose]();
  });
  const numbers: Numbers = {
    on,
    get peer() {
      return peer.get();
    },
    async link(customer, config = {}) {
      const number = newNumber();
      const pace = { perMinute: 60, newPeoplePerDay: 1_000 };
      const connectionId = await connectNumber(on, customer?.accountId ?? null, { number, ...pace, ...config });
      await acceptRisks(on, connectionId);
      const steps = await linkNumber(on.app, peer.get(), connectionId, number);
      expect(steps.at(-1)).toMatchObject({ state: 'LINKED' });
      return { connectionId, number };
    },
    async send(customer, to, more = {}) {
      const input = { to, text: 'Hello', channels: ['CHAT_QR'], chatFrom: CHAT_SENDER, ...more };
      const { data, errors } = await on.graphql<{
        sendMessage: { messageId: string; status: string; attempts: ToldAttempt[] };
      }>(
        `mutation ($input: SendMessageInput!) {
          sendMessage(input: $input) { messageId status attempts { attemptId channel status errorCode } }
        }`,
        { token: customer.tokens.unified, variables: { input } },
      );
      expect(errors).toBeNull();
      if (!data) throw new Error('the send has no answer');
      const { messageId, status, attempts } = data.sendMessage;
      const told = attempts.map(attempt => ({ ...attempt, status: attempt.status.toLowerCase() }));
      return { messageId, status: status.toLowerCase(), attempts: told };
    },
    async session(connectionId) {
      const [row] = await on.sql<Record<string, unknown>>('select * from chat_sessions where connection_id = $1', [
        toUuid(connectionId),
      ]);
      return row ?? {};
    },
    async untilSession(connectionId, is) {
      const looked = Promise.withResolvers<void>();
      let look = looked;
      const stop = await on.app.services.database.listen(
        'heliograph_chat_sessions',
        () => look.resolve(),
        () => look.resolve(),
      );
      try {
        for (;;) {
          look = Promise.withResolvers<void>();
          const row = await numbers.session(connectionId);
          if (is(row)) return row;
          await look.promise;
        }
      } finally {
        await stop();
      }
    },
    async openOther() {
      if (on.testDatabase.kind !== 'postgres') throw new Error('two gateways need a server');
      const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-app-'));
      const own = { DATA_DIR: dataDir, PORT: '0', DATABASE_URL: on.testDatabase.url, OPERATOR_TOKEN };
      const config = readConfig({ ...own, ...env });
      const app = await openApp(config, { log: TOLD.logger() });
      others.push({ app, dataDir });
      await app.start();
      return app;
    },
  };
  return numbers;
}

/** Has a number's only turn of the minute lie so long ago that the next one is 3.8 seconds off: texts wait for four. */
export async function delayTurn({ sql }: Pick<TestApp, 'sql'>, connectionId: string): Promise<void> {
  await sql(
    `update chat_sessions set turns = array[clock_timestamp() - interval '56.2 seconds'] where connection_id = $1`,
    [toUuid(connectionId)],
  );
}

/** Has time pass for numbers, whose statements go by the clock of the database: what is stored of them lies so much longer ago. */
export async function passTime(
  { sql }: Pick<TestApp, 'sql'>,
  connectionIds: readonly string[],
  ms: number,
): Promise<void> {
  const numbers = [connectionIds.map(toUuid), `${ms} milliseconds`];
  await sql(
    `update chat_sessions set linked_at = linked_at - $2::interval, locked_since = locked_since - $2::interval,
       locked_until = locked_until - $2::interval, new_chats_until = new_chats_until - $2::interval, limits_at = limits_at - $2::interval,
       turns = array(select at - $2::interval from unnest(turns) with ordinality as t(at, place) order by place)
     where connection_id = any($1)`,
    numbers,
  );
  await sql(
    // In the order in which writers are noted.
    `with locked as (select person from chat_contacts where connection_id = any($1) order by person for update)
     update chat_contacts set first_at = first_at - $2::interval, last_at = last_at - $2::interval, known_at = known_at - $2::interval
     where connection_id = any($1) and person in (select person from locked)`,
    numbers,
  );
}
