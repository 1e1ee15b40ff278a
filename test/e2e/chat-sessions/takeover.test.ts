import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { acceptRisks, connectNumber, followLink, linkNumber } from '../../support/chat-qr/linked.ts';
import { reach, setUpNumberProcesses } from '../../support/chat-qr/number-processes.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber } from '../../support/chat-qr/set-up-numbers.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { type Gateway, until } from '../../support/processes/gateway.ts';
import { makeAccount } from '../../support/services.ts';

/** The promise, counted from the death of the owner. */
const TAKEN_MS = 35_000;

/** The machine of the tests is shared. */
const SLACK_MS = 10_000;

describe.skipIf(missingLibrary() !== null)('the owner of a number', () => {
  describePostgres('beside another process', () => {
    const numbers = setUpNumberProcesses();
    let survivor: Gateway;

    beforeAll(async () => {
      survivor = await numbers.start();
    });

    test('is followed by it within 35 seconds of kill -9, and one socket is open at each moment', async () => {
      const { peer } = numbers;
      const victim = await numbers.start();
      const linked = await numbers.link(victim);
      const former = await numbers.ownerOf(linked);
      // By then the other one has looked, and has left it alone.
      for (let times = 0; times < 2; times++) await numbers.untilRenewed(linked);
      expect(await numbers.ownerOf(linked)).toBe(former);
      const before = peer.logins.get(linked.number) ?? 0;
      const killedAtMs = performance.now();
      victim.kill('SIGKILL');
      await peer.until(() => ((peer.logins.get(linked.number) ?? 0) > before ? true : null));
      expect(performance.now() - killedAtMs).toBeLessThan(TAKEN_MS + SLACK_MS);
      expect(await numbers.untilTaken(linked, former)).not.toBe(former);
      expect([peer.socketsOf(linked.number), peer.logins.get(linked.number)]).toEqual([1, before + 1]);
      expect(peer.doubled).toEqual([]);
      expect(await numbers.sendWhenOpen(survivor, linked, newNumber(), 'Taken over')).toMatchObject([
        { status: 'sent' },
      ]);
    });

    test('is the last to have begun a link, and who linked it by another process is told', async () => {
      const [number, one, other] = [newNumber(), reach(survivor), reach(await numbers.start())];
      const { accountId } = await makeAccount(numbers.on.services);
      const connectionId = await connectNumber(one, accountId, { number });
      await acceptRisks(one, connectionId);
      const first = followLink(one, connectionId, 'QR');
      expect((await first.next()).value).toMatchObject({ state: 'CODE' });
      const steps = await linkNumber(other, numbers.peer, connectionId, number, 'PAIRING_CODE');
      expect(steps.map(({ state }) => state)).toEqual(['CODE', 'LINKED']);
      expect((await first.next()).value).toMatchObject({
        state: 'FAILED',
        error: 'Another link of this number was begun.',
      });
      expect(numbers.peer.socketsOf(number)).toBe(1);
    });

    test('sends nothing of a number that it has lost and does not know of', async () => {
      const linked = await numbers.link(survivor);
      const to = newNumber();
      expect(await numbers.sendWhenOpen(survivor, linked, to, 'First')).toMatchObject([{ status: 'sent' }]);
      // From one look of the owner to the next is longer than the late text waits.
      await numbers.untilRenewed(linked);
      await numbers.holdTurns(linked);
      const late = numbers.send(survivor, linked, to, 'Late');
      await until('the late text waits', () => numbers.waitsForTurn(linked));
      await numbers.give(linked, randomUUID());
      expect(await late).toMatchObject([{ status: 'failed', errorCode: 'not_connected' }]);
      await numbers.peer.until(() => (numbers.peer.socketsOf(linked.number) === 0 ? true : null));
      const texts = numbers.peer.messages.filter(({ from }) => from === linked.number);
      expect(texts.map(({ text }) => text)).toEqual(['First']);
    });
  });
});
