import { describe, expect, test } from 'vitest';
import { setUpNumberProcesses } from '../../support/chat-qr/number-processes.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber } from '../../support/chat-qr/set-up-numbers.ts';
import { describePostgres } from '../../support/databases/database.ts';

/** The promise, counted from the death of the owner. */
const TAKEN_MS = 35_000;

describe.skipIf(missingLibrary() !== null)('the owner of a number', () => {
  describePostgres('killed by SIGKILL', () => {
    const numbers = setUpNumberProcesses();

    test('is followed by another within 35 seconds, and there is one socket at each moment', async () => {
      const { peer } = numbers;
      const [victim, other] = await Promise.all([numbers.start(), numbers.start()]);
      const linked = await numbers.link(victim);
      const former = await numbers.ownerOf(linked);
      const before = peer.logins.get(linked.number) ?? 0;
      const killedAtMs = performance.now();
      victim.kill('SIGKILL');
      await peer.until(() => ((peer.logins.get(linked.number) ?? 0) > before ? true : null));
      expect(performance.now() - killedAtMs).toBeLessThan(TAKEN_MS);
      expect(await numbers.untilTaken(linked, former)).not.toBe(former);
      expect([peer.socketsOf(linked.number), peer.logins.get(linked.number)]).toEqual([1, before + 1]);
      expect(peer.doubled).toEqual([]);
      expect(await numbers.send(other, linked, newNumber(), 'Taken over')).toMatchObject([{ status: 'sent' }]);
    });
  });
});
