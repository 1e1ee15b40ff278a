import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber, passTime, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';
import { residentBytes } from '../../support/resident-memory.ts';
import { rounds } from '../../support/runner/rounds.ts';

/** Two texts a minute fill a day. */
const TEXTS = rounds({ usual: 40, long: 2_880 });
const DAY_MS = 86_400_000;
const PEOPLE = 10;
const MIB = 1_024 * 1_024;

/** Room for what a process makes once: code that is compiled, and pools that fill. */
const GROWTH_MAX_MB = 30;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The resident memory of the driver, a child of this process. */
function driverMegabytes(): number {
  for (const pid of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(pid)) continue;
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const isOurs = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === process.pid;
      if (isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('driver'))
        return residentBytes(Number(pid)) / MIB;
    } catch {
      // The process has just ended.
    }
  }
  throw new Error('there is no driver');
}

describe.skipIf(missingLibrary() !== null || process.platform !== 'linux')('a day of a QR-linked number', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  test(
    `with ${TEXTS} texts, receipts and answers lets neither the driver, the gateway nor its rows grow`,
    async () => {
      const { connectionId, number } = await numbers.link(customer);
      const people = Array.from({ length: PEOPLE }, newNumber);

      /** The memory and the rows of now. */
      const measure = async () => {
        collect();
        const [rows] = await numbers.on.sql<Record<'keys' | 'contacts' | 'handovers' | 'turns', number>>(
          `select (select count(*)::int from chat_session_keys where connection_id = $1) as keys,
             (select count(*)::int from chat_contacts where connection_id = $1) as contacts,
             (select count(*)::int from handovers) as handovers,
             (select cardinality(turns) from chat_sessions where connection_id = $1) as turns`,
          [toUuid(connectionId)],
        );
        const heapMb = process.memoryUsage().heapUsed / 2 ** 20;
        return { heapMb, driverMb: driverMegabytes(), rows: rows ?? { keys: 0, contacts: 0, handovers: 0, turns: 0 } };
      };

      /** A part of the day. */
      const live = async (texts: number) => {
        for (let index = 0; index < texts; index++) {
          await passTime(numbers.on, [connectionId], DAY_MS / TEXTS);
          const person = people[index % PEOPLE] ?? '';
          const { attempts } = await numbers.send(customer, person);
          expect(attempts).toMatchObject([{ status: 'sent' }]);
          const { id = '' } = numbers.peer.messages.findLast(({ to }) => to === person) ?? {};
          numbers.peer.receipt(id, 'delivered');
          if (index % 5 === 0) await numbers.peer.write(person, number, { conversation: 'Thanks' }, { by: 'both' });
        }
      };

      await live(Math.ceil(TEXTS / 4));
      const before = await measure();
      await live(TEXTS - Math.ceil(TEXTS / 4));
      const after = await measure();
      expect(after.driverMb - before.driverMb).toBeLessThan(GROWTH_MAX_MB);
      expect(after.heapMb - before.heapMb).toBeLessThan(GROWTH_MAX_MB);
      expect(after.rows.handovers).toBe(0);
      // Each writer is known by number and by id.
      expect(after.rows.contacts).toBeLessThanOrEqual(2 * PEOPLE);
      expect(after.rows.turns).toBeLessThanOrEqual(60);
      // Each person has a session of some keys, and no text leaves another.
      expect(after.rows.keys - before.rows.keys).toBeLessThan(PEOPLE * 5);
    },
    120_000 + TEXTS * 300,
  );
});
