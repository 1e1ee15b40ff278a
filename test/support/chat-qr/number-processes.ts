/** Gateways in processes of their own, on one database, with QR-linked numbers of a rehearsal server. */
import { afterAll, beforeAll, expect } from 'vitest';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { openKey } from '../../../src/modules/chat-sessions/keys/key-store.ts';
import { OPERATOR_TOKEN } from '../app.ts';
import { holdLatest, setUpServices } from '../fixtures.ts';
import { ask, type Gateway, startGateway, until } from '../processes/gateway.ts';
import { makeAccount, type TestServices } from '../services.ts';
import { acceptRisks, connectNumber, linkNumber } from './linked.ts';
import { type PairingPeer, startPairingPeer } from './pairing-peer.ts';
import { BAILEYS_DIR } from './peer-library.ts';
import { CHAT_SENDER, newNumber, type ToldAttempt } from './set-up-numbers.ts';

/** The key of all these gateways. */
const SECRET_KEY = Buffer.alloc(32, 7);

/** How many texts a number may send in a minute. */
const PER_MINUTE = 60;

/** A number of an account of its own. */
export interface LinkedNumber {
  readonly number: string;
  readonly connectionId: string;
  readonly accountId: string;
  /** Of the unified area. */
  readonly token: string;
}

/** Steps of tests with numbers whose gateways are processes. */
export interface NumberProcesses {
  readonly on: TestServices;
  readonly peer: PairingPeer;
  /** Starts a gateway. */
  start(): Promise<Gateway>;
  /** Links a new number by a gateway, which owns it then. */
  link(gateway: Gateway): Promise<LinkedNumber>;
  /** Sends a text by a gateway, and answers its attempts. @throws Error where the gateway dies before it answers */
  send(gateway: Gateway, from: LinkedNumber, to: string, text: string): Promise<readonly ToldAttempt[]>;
  /** Sends a text as soon as the gateway has read that the number is open, which is a moment after the row says so. */
  sendWhenOpen(...of: Parameters<NumberProcesses['send']>): ReturnType<NumberProcesses['send']>;
  /** The process that owns a number and has its socket open, as the row knows it; null: none. */
  ownerOf(of: LinkedNumber): Promise<string | null>;
  /** Whether a text of a number waits for its turn; null: none does. */
  waitsForTurn(of: LinkedNumber): Promise<true | null>;
  /** Has the next turn of a number be three and a half seconds off, as if it had sent all texts of a minute. */
  holdTurns(of: LinkedNumber): Promise<void>;
  /** Ends the leases of numbers, as time does where their owner is not heard of. */
  endLeases(of: readonly LinkedNumber[]): Promise<void>;
  /** Gives a number to another process, whose lease begins now. */
  give(of: LinkedNumber, owner: string): Promise<void>;
  /** Waits until the owner of a number has gone on with it once more. */
  untilRenewed(of: LinkedNumber): Promise<void>;
  /** Waits until another process than `former` has the socket of a number open. */
  untilTaken(of: LinkedNumber, former: string | null | undefined): Promise<string>;
  /** The keys and the credentials of a number, in the clear. */
  keysOf(of: LinkedNumber): Promise<readonly string[]>;
}

/** Sets them up for a `describe`. */
export function setUpNumberProcesses(): NumberProcesses {
  const on = setUpServices();
  const peer = holdLatest<PairingPeer>();
  const gateways: Gateway[] = [];
  beforeAll(async () => peer.set(await startPairingPeer()));
  afterAll(async () => {
    for (const gateway of gateways) gateway.kill('SIGKILL');
    await Promise.all(gateways.map(({ exited }) => exited));
    await peer.get()[Symbol.asyncDispose]();
  });
  const processes: NumberProcesses = {
    on,
    get peer() {
      return peer.get();
    },
    async start() {
      if (on.testDatabase.kind !== 'postgres') throw new Error('several gateways need a server');
      const env = { ...peer.get().env, CHAT_QR_DIR: BAILEYS_DIR, OPERATOR_TOKEN };
      const gateway = await startGateway({ databaseUrl: on.testDatabase.url, env });
      gateways.push(gateway);
      return gateway;
    },
    async link(gateway) {
      const number = newNumber();
      const account = await makeAccount(on.services);
      const { accountId } = account;
      const reached = reach(gateway);
      const pace = { perMinute: PER_MINUTE, newPeoplePerDay: 1_000 };
      const connectionId = await connectNumber(reached, accountId, { number, ...pace });
      await acceptRisks(reached, connectionId);
      const steps = await linkNumber(reached, peer.get(), connectionId, number);
      expect(steps.at(-1)).toMatchObject({ state: 'LINKED' });
      const linked = { number, connectionId, accountId, token: await account.token('unified') };
      await processes.untilTaken(linked, null);
      return linked;
    },
    async send(gateway, { token }, to, text) {
      const query = `mutation ($input: SendMessageInput!) {
        sendMessage(input: $input) { attempts { attemptId channel status errorCode } }
      }`;
      const input = { to, text, channels: ['CHAT_QR'], chatFrom: CHAT_SENDER };
      const { sendMessage } = await ask<{ sendMessage: { attempts: ToldAttempt[] } }>(gateway, token, query, { input });
      return sendMessage.attempts.map(attempt => ({ ...attempt, status: attempt.status.toLowerCase() }));
    },
    sendWhenOpen: (...of) =>
      until('the number can send', async () => {
        const attempts = await processes.send(...of);
        return attempts.some(({ errorCode }) => errorCode === 'connection_down') ? null : attempts;
      }),
    async ownerOf({ connectionId }) {
      const [row] = await on.sql<{ owner: string | null }>(
        'select owner from chat_sessions where connection_id = $1 and is_open',
        [toUuid(connectionId)],
      );
      return row?.owner ?? null;
    },
    async waitsForTurn({ connectionId }) {
      const waiting = await on.sql(
        'select from chat_sessions where connection_id = $1 and turns[cardinality(turns)] > clock_timestamp()',
        [toUuid(connectionId)],
      );
      return waiting.length > 0 || null;
    },
    async holdTurns({ connectionId }) {
      await on.sql(
        `update chat_sessions set turns = array_fill(clock_timestamp() - interval '56.5 seconds', array[$2::int])
         where connection_id = $1`,
        [toUuid(connectionId), PER_MINUTE],
      );
    },
    async endLeases(of) {
      await on.sql('update chat_sessions set lease_until = clock_timestamp() where connection_id = any($1)', [
        of.map(({ connectionId }) => toUuid(connectionId)),
      ]);
    },
    async give({ connectionId }, owner) {
      await on.sql(
        `update chat_sessions set owner = $2, lease_until = clock_timestamp() + interval '25 seconds' where connection_id = $1`,
        [toUuid(connectionId), owner],
      );
    },
    async untilRenewed({ connectionId }) {
      const read = async () => {
        const [row] = await on.sql<{ until: string }>(
          'select lease_until::text as until from chat_sessions where connection_id = $1',
          [toUuid(connectionId)],
        );
        return row?.until;
      };
      const before = await read();
      await until(`${connectionId} is renewed`, async () => ((await read()) === before ? null : true));
    },
    untilTaken: (of, former) =>
      until(`${of.number} is open`, async () => {
        const owner = await processes.ownerOf(of);
        return owner === former ? null : owner;
      }),
    async keysOf({ connectionId }) {
      const connection = toUuid(connectionId);
      const rows = await on.sql<{ kind: string; id: string; value: string; key_id: string }>(
        `select kind, id, value, key_id from chat_session_keys where connection_id = $1
         union all select '', '', creds, creds_key_id from chat_sessions where connection_id = $1`,
        [connection],
      );
      const keys = createKeyRing(SECRET_KEY, []);
      return rows.map(({ kind, id, value, key_id }) => {
        const opened = openKey(keys, { connection, kind, id, value, keyId: key_id });
        if (opened === null) throw new Error(`${kind} ${id} does not open`);
        return opened;
      });
    },
  };
  return processes;
}

/** A gateway, as one in this process is reached. */
export function reach(gateway: Gateway) {
  return {
    async graphql<Data>(query: string, call: { readonly token: string; readonly variables: Record<string, unknown> }) {
      return { data: await ask<Data>(gateway, call.token, query, call.variables), errors: null };
    },
    async fetch(request: Request) {
      const { method, headers } = request;
      return fetch(gateway.url + new URL(request.url).pathname, { method, headers, body: await request.text() });
    },
  };
}
