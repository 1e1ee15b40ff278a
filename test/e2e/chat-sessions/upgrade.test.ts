/** A number that stays linked over an upgrade from the last release, and over the way back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { acceptRisks, connectNumber, linkNumber } from '../../support/chat-qr/linked.ts';
import { reach } from '../../support/chat-qr/number-processes.ts';
import { type PairingPeer, startPairingPeer } from '../../support/chat-qr/pairing-peer.ts';
import { BAILEYS_DIR, missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber, type ToldAttempt } from '../../support/chat-qr/set-up-numbers.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { runCli } from '../../support/processes/cli.ts';
import { ask, type Demo, type Gateway, startGateway, until } from '../../support/processes/gateway.ts';
import { findLastRelease, installRelease } from '../../support/upgrade/last-release.ts';

const SECRET_KEY = Buffer.alloc(32, 17).toString('base64');

const release = await findLastRelease();
const isLeftOut = release === null || missingLibrary() !== null;

describe.skipIf(isLeftOut)(`a number that is linked by ${release?.name}`, () => {
  describePostgres('and owned by one process after the other', () => {
    const number = newNumber();
    const started: Gateway[] = [];
    /** The outcomes of texts, each as `owner, sent by: status`. */
    const texts: string[] = [];
    /** Texts that people wrote, as they came. */
    const read: string[] = [];
    let database: TestDatabase;
    let url: string;
    let peer: PairingPeer;
    let former: string;
    let demo: Demo;
    let connectionId: string;

    beforeAll(async () => {
      if (release === null) return;
      database = await createDatabase();
      if (database.kind !== 'postgres') return;
      ({ url } = database);
      // The last release migrates by itself.
      await runSql(url, 'drop schema public cascade; create schema public');
      former = await installRelease(release);
      peer = await startPairingPeer();
      await upgradeAndGoBack();
    }, 600_000);

    afterAll(async () => {
      for (const gateway of started) gateway.kill('SIGKILL');
      await Promise.all(started.map(({ exited }) => exited));
      await peer[Symbol.asyncDispose]();
      await database.drop();
    });

    async function start(installed?: string): Promise<Gateway> {
      const env = { ...peer.env, CHAT_QR_DIR: BAILEYS_DIR, OPERATOR_TOKEN, SECRET_KEY };
      const gateway = await startGateway({ databaseUrl: url, env, ...(installed === undefined ? {} : { installed }) });
      started.push(gateway);
      return gateway;
    }

    async function stop(gateway: Gateway): Promise<void> {
      gateway.kill('SIGTERM');
      expect(await gateway.exited).toEqual({ code: 0, signal: null });
    }

    /** Waits until the number is open, and another owner has it than before. */
    const untilTaken = (by: string | null) =>
      until('the number is open', async () => {
        const [row] = await runSql(url, `select owner from chat_sessions where is_open`);
        return row && row.owner !== by ? String(row.owner) : null;
      });

    async function upgradeAndGoBack(): Promise<void> {
      const [one, two] = [await start(former), await start(former)];
      ({ seedDemo: demo } = await ask<{ seedDemo: Demo }>(
        one,
        OPERATOR_TOKEN,
        'mutation { seedDemo { accountId tokens } }',
      ));
      const pace = { perMinute: 60, newPeoplePerDay: 1_000 };
      connectionId = await connectNumber(reach(one), demo.accountId, { number, ...pace });
      await acceptRisks(reach(one), connectionId);
      expect((await linkNumber(reach(one), peer, connectionId, number)).at(-1)).toMatchObject({ state: 'LINKED' });
      let owner = await untilTaken(null);
      const env = { DATABASE_URL: url, SECRET_KEY };
      expect(await runCli(env, 'migrate')).toMatchObject({ status: 0 });

      await stop(one);
      owner = await untilTaken(owner);
      const next = await start();
      await sendTo('former', { former: two, new: next });
      await stop(two);
      owner = await untilTaken(owner);
      const other = await start(former);
      await sendTo('new', { former: other, new: next });
      await writeTo('new');
      await stop(next);
      await untilTaken(owner);
      await sendTo('back', { former: other });
      await writeTo('former');
    }

    async function sendTo(owner: string, by: Record<string, Gateway>): Promise<void> {
      for (const [name, gateway] of Object.entries(by)) {
        const { status, errorCode } = await sendWhenOpen(gateway);
        texts.push(`${owner}, sent by ${name}: ${errorCode ?? status}`);
      }
    }

    async function writeTo(owner: string): Promise<void> {
      const text = `To the ${owner} one`;
      await peer.write(newNumber(), number, { conversation: text }, { by: 'both' });
      const find = () => runSql(url, `select text from inbound_messages where text = '${text}'`);
      await until('the text has come', async () => ((await find()).length > 0 ? true : null));
      read.push(text);
    }

    /** Sends as soon as the gateway has read that the number is open, which is a moment after the row says so. */
    const sendWhenOpen = (gateway: Gateway): Promise<ToldAttempt> =>
      until('the number can send', async () => {
        const query = `mutation ($input: SendMessageInput!) {
          sendMessage(input: $input) { attempts { attemptId channel status errorCode } }
        }`;
        const input = { to: newNumber(), text: 'Over versions', channels: ['CHAT_QR'], chatFrom: number };
        const { sendMessage } = await ask<{ sendMessage: { attempts: ToldAttempt[] } }>(
          gateway,
          demo.tokens.unified,
          query,
          { input },
        );
        const [attempt] = sendMessage.attempts;
        return attempt && attempt.errorCode !== 'connection_down' ? attempt : null;
      });

    test('sends, whichever of them owns it and whichever is asked', () => {
      expect(texts).toEqual(
        [
          'former, sent by former',
          'former, sent by new',
          'new, sent by former',
          'new, sent by new',
          'back, sent by former',
        ].map(what => `${what}: SENT`),
      );
      expect(peer.messages.filter(({ from }) => from === number)).toHaveLength(texts.length);
    });

    test('takes what people write', () => expect(read).toEqual(['To the new one', 'To the former one']));

    test('is the same device of its phone all the time, by one socket', async () => {
      const linked = await runSql(
        url,
        `select state from chat_sessions where connection_id = '${toUuid(connectionId)}'`,
      );
      expect(linked).toEqual([{ state: 'linked' }]);
      expect([peer.devicesOf(number), peer.socketsOf(number), peer.doubled]).toEqual([1, 1, []]);
    });

    test('lets no process log an error', () => {
      const lines = started.flatMap(gateway => gateway.stderr().split('\n'));
      expect(lines.filter(line => /"level":(50|60)/.test(line))).toEqual([]);
    });
  });
});
