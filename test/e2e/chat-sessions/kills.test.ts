import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { messageIdOf } from '../../../src/channels/chat-qr/message-id.ts';
import { fromUuid, toUuid } from '../../../src/kernel/ids.ts';
import { type LinkedNumber, setUpNumberProcesses } from '../../support/chat-qr/number-processes.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber } from '../../support/chat-qr/set-up-numbers.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { LEASES_END } from '../../support/messaging/leases-end.ts';
import { type Gateway, until } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';

/** How often a process is killed. */
const KILLS = rounds({ usual: 3, long: 200 });

/** The time in which a process dies, from the first send on: texts of a number are 1 to 3.5 s apart. */
const SPREAD_MS = 3_000;

/** How many numbers send at a time, each to the same two people. */
const NUMBERS = 4;

/** A key in what is stored: a value of 16 bytes or more in base64. */
const KEY = /"([A-Za-z0-9+/]{22,}={0,2})"(?!:)/g;

describe.skipIf(missingLibrary() !== null)('numbers', () => {
  describePostgres('of two gateways', () => {
    const numbers = setUpNumberProcesses();
    let owner: Gateway;
    let other: Gateway;
    const people = [newNumber(), newNumber()] as const;

    beforeAll(async () => {
      [owner, other] = await Promise.all([numbers.start(), numbers.start()]);
    });

    /** The texts on the chat from numbers. */
    const textsOf = (linked: readonly LinkedNumber[]) =>
      numbers.peer.messages.filter(({ from }) => linked.some(({ number }) => number === from));

    /** Has the owner die, and the other one take over: nobody else is there yet. */
    async function replaceOwner(linked: readonly LinkedNumber[]): Promise<void> {
      const former = await Promise.all(linked.map(numbers.ownerOf));
      owner.kill('SIGKILL');
      await owner.exited;
      // The driver ends a moment after its gateway; a real lease is longer than that.
      await numbers.peer.until(() => (linked.every(of => numbers.peer.socketsOf(of.number) === 0) ? true : null));
      await numbers.endLeases(linked);
      await Promise.all(linked.map((of, index) => numbers.untilTaken(of, former[index])));
      [owner, other] = [other, await numbers.start()];
    }

    async function replaceOther(): Promise<void> {
      other.kill('SIGKILL');
      await other.exited;
      other = await numbers.start();
    }

    /** Sends a text by each gateway from each number. Answers what was told to be sent, by its id on the chat. */
    async function sendByBoth(linked: readonly LinkedNumber[]): Promise<[string, string][]> {
      const send = async (by: string, gateway: Gateway, of: LinkedNumber, to: string) => {
        // A gateway that dies does not answer.
        const attempts = await numbers.send(gateway, of, to, `Text ${randomUUID()}`).catch(() => []);
        const sent = attempts.filter(({ status }) => status === 'sent');
        return sent.map(({ attemptId }): [string, string] => [messageIdOf(attemptId), by]);
      };
      const calls = linked.flatMap(of => [send('owner', owner, of, people[0]), send('other', other, of, people[1])]);
      return (await Promise.all(calls)).flat();
    }

    /** Has what a dead process left taken up, and waits until each message has a definite status. */
    async function settle(): Promise<void> {
      await numbers.on.sql(LEASES_END);
      await until('every message is settled', async () => {
        const pending = await numbers.on.sql("select 1 from messages where status = 'pending' limit 1");
        return pending.length === 0 ? true : null;
      });
    }

    /** Attempts that contradict the chat: failed although the text arrived, or sent although it did not. */
    async function judge(linked: readonly LinkedNumber[]): Promise<string[]> {
      const ids = new Set(textsOf(linked).map(({ id }) => id));
      const rows = await numbers.on.sql<{ id: string; status: string; error_code: string | null }>(
        'select id, status, error_code from attempts where account_id = any($1)',
        [linked.map(({ accountId }) => toUuid(accountId))],
      );
      return rows.flatMap(({ id, status, error_code }) => {
        const isOnChat = ids.delete(messageIdOf(fromUuid('att', id)));
        if (status === 'failed' && isOnChat) return [`${id} failed by ${error_code}, and is on the chat`];
        return status === 'sent' && !isOnChat ? [`${id} is sent, and not on the chat`] : [];
      });
    }

    test(
      `send no text twice, none that failed, and all that were told to be sent, while gateways are killed ${KILLS} times`,
      async () => {
        const { peer } = numbers;
        const linked: LinkedNumber[] = [];
        for (let index = 0; index < NUMBERS; index++) linked.push(await numbers.link(owner));
        const told = new Map<string, string>();
        for (let kill = 0; kill < KILLS; kill++) {
          const sending = sendByBoth(linked);
          // A process dies over a text that the chat has just taken; every fourth time at any time.
          const count = peer.messages.length + 1 + Math.floor(Math.random() * 2 * NUMBERS);
          await (kill % 4 === 3 ? wait(Math.random() * SPREAD_MS) : Promise.race([peer.taken(count), sending]));
          // Every third time it is the one that hands over.
          await (kill % 3 === 1 ? replaceOther() : replaceOwner(linked));
          for (const [id, by] of await sending) told.set(id, by);
          await settle();
        }
        for (const [id, by] of await sendByBoth(linked)) told.set(id, by);
        expect(await judge(linked)).toEqual([]);
        expect(new Set(told.values())).toEqual(new Set(['owner', 'other']));
        const texts = textsOf(linked);
        expect(texts.map(({ id }) => id)).toEqual(expect.arrayContaining([...told.keys()]));
        expect(new Set(texts.map(({ id }) => id)).size).toBe(texts.length);
        expect(new Set(texts.map(({ text }) => text)).size).toBe(texts.length);
        expect(new Set(peer.counters).size).toBe(peer.counters.length);
        expect(peer.doubled.filter(number => linked.some(of => of.number === number))).toEqual([]);
      },
      60_000 + KILLS * 60_000,
    );

    test('send nothing by a gateway that stood still while another took them over', async () => {
      const { peer } = numbers;
      const linked = await numbers.link(owner);
      const former = await numbers.ownerOf(linked);
      const to = newNumber();
      expect(await numbers.sendWhenOpen(owner, linked, to, 'Before')).toMatchObject([{ status: 'sent' }]);
      await numbers.holdTurns(linked);
      const late = numbers.send(owner, linked, to, 'Late');
      await until('the late text waits', () => numbers.waitsForTurn(linked));
      owner.kill('SIGSTOP');
      // Nobody but the gateways keeps the stale one from sending.
      peer.endsFormer = false;
      try {
        await numbers.endLeases([linked]);
        await numbers.untilTaken(linked, former);
        expect(peer.socketsOf(linked.number)).toBe(2);
        await until('its turn has come', async () => ((await numbers.waitsForTurn(linked)) ? null : true));
        owner.kill('SIGCONT');
        expect(await late).toMatchObject([{ status: 'failed', errorCode: 'not_connected' }]);
        await peer.until(() => (peer.socketsOf(linked.number) === 1 ? true : null));
      } finally {
        peer.endsFormer = true;
        owner.kill('SIGCONT');
      }
      expect(await numbers.sendWhenOpen(other, linked, to, 'After')).toMatchObject([{ status: 'sent' }]);
      expect(textsOf([linked]).map(({ text }) => text)).toEqual(['Before', 'After']);
    });

    test('leave none of their keys in the output of a gateway', async () => {
      const linked = await numbers.link(owner);
      const to = newNumber();
      const gateways = [owner, other];
      for (const gateway of gateways) await numbers.send(gateway, linked, to, 'Written');
      await numbers.peer.write(to, linked.number, { conversation: 'Answered' });
      const before = await numbers.keysOf(linked);
      await replaceOwner([linked]);
      await numbers.send(owner, linked, to, 'Taken over');
      const stored = [...before, ...(await numbers.keysOf(linked))].join('\n');
      const keys = [...new Set(Array.from(stored.matchAll(KEY), ([, key = '']) => key))];
      expect(keys.length).toBeGreaterThan(100);
      const written = [...keys, ...keys.map(key => Buffer.from(key, 'base64').toString('hex'))];
      const output = gateways.map(gateway => gateway.stdout() + gateway.stderr()).join('\n');
      expect(output).toContain('Heliograph listens');
      expect(written.filter(key => output.includes(key))).toEqual([]);
    });
  });
});
