import { describe, expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { CHAT_SENDER, newNumber, passTime, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';
import { rounds } from '../../support/runner/rounds.ts';

/** The weights of ten numbers. */
const WEIGHTS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3];
const WEIGHT = WEIGHTS.reduce((sum, weight) => sum + weight);
const RECIPIENTS = rounds({ usual: 20, long: 1_000 });
const NEW_PEOPLE_PER_DAY = rounds({ usual: 2, long: 60 });
const PER_MINUTE = 5;

/** So far apart, no number sends more in a minute than it may, whoever writes by it. */
const STEP_MS = 60_000 / PER_MINUTE + 500;
const DAY_MS = 86_400_000;

/** A share that chance does not miss by so many standard deviations: those of few people are far from a normal distribution. */
const DEVIATIONS = rounds({ usual: 8, long: 5 });

describe.skipIf(missingLibrary() !== null)('ten QR-linked numbers', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  /** The most of these times that lie within a span. */
  function mostWithin(times: readonly number[], spanMs: number): number {
    const counts = times.map(from => times.filter(at => at >= from && at < from + spanMs).length);
    return Math.max(0, ...counts);
  }

  /** The numbers of a recipient in the order of a dry run, with what it says of each. */
  async function dryRun(to: string) {
    const input = { to, text: 'Hello', channels: ['CHAT_QR'], chatFrom: CHAT_SENDER };
    const { data } = await numbers.on.graphql<{
      previewSend: { legs: { connections: { connectionId: string; verdict: string }[] }[] };
    }>(
      'query ($input: SendMessageInput!) { previewSend(input: $input) { legs { connections { connectionId verdict } } } }',
      { token: customer.tokens.unified, variables: { input } },
    );
    return data?.previewSend.legs[0]?.connections[0];
  }

  test(
    `send to ${RECIPIENTS} people at the allowed pace, each by the number that the weights give, and by the same one again`,
    async () => {
      // The server's own limits are not what bounds them.
      numbers.peer.limits = null;
      const linked: { readonly connectionId: string; readonly number: string }[] = [];
      for (const weight of WEIGHTS) {
        const pace = { perMinute: PER_MINUTE, newPeoplePerDay: NEW_PEOPLE_PER_DAY };
        const one = await numbers.link(customer, pace);
        const { errors } = await numbers.on.graphql(
          'mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { id } }',
          { token: OPERATOR_TOKEN, variables: { input: { connectionId: one.connectionId, weight } } },
        );
        expect(errors).toBeNull();
        linked.push(one);
      }
      let clockMs = 0;
      const pass = async (ms: number) => {
        clockMs += ms;
        await passTime(
          numbers.on,
          linked.map(({ connectionId }) => connectionId),
          ms,
        );
      };
      await pass(7 * DAY_MS);
      const sent: { readonly number: string; readonly to: string; readonly atMs: number }[] = [];
      const send = async (to: string) => {
        await pass(STEP_MS);
        const { attempts } = await numbers.send(customer, to);
        expect(attempts).toMatchObject([{ status: 'sent' }]);
        const number = numbers.peer.messages.findLast(message => message.to === to)?.from ?? '';
        sent.push({ number, to, atMs: clockMs });
        return number;
      };

      let waiting = Array.from({ length: RECIPIENTS }, newNumber);
      const byRecipient = new Map<string, string>();
      while (waiting.length > 0) {
        const later: string[] = [];
        for (const to of waiting) {
          const first = await dryRun(to);
          const number = linked.find(({ connectionId }) => connectionId === first?.connectionId)?.number;
          if (first?.verdict === 'KNOWN_ONLY') later.push(to);
          else {
            expect(await send(to)).toBe(number);
            byRecipient.set(to, number ?? '');
          }
        }
        waiting = later;
        await pass(DAY_MS);
      }

      for (const [index, { number }] of linked.entries()) {
        const times = sent.filter(one => one.number === number).map(({ atMs }) => atMs);
        expect(mostWithin(times, 60_000)).toBeLessThanOrEqual(PER_MINUTE);
        expect(mostWithin(times, DAY_MS)).toBeLessThanOrEqual(NEW_PEOPLE_PER_DAY);
        const part = (WEIGHTS[index] ?? 0) / WEIGHT;
        const deviation = Math.sqrt(RECIPIENTS * part * (1 - part));
        expect(Math.abs(times.length - RECIPIENTS * part)).toBeLessThan(DEVIATIONS * deviation);
      }
      for (const [to, number] of [...byRecipient].slice(0, RECIPIENTS / 10)) expect(await send(to)).toBe(number);
    },
    60_000 + RECIPIENTS * 3_000,
  );
});
