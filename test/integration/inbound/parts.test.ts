import { beforeEach, describe, expect, test } from 'vitest';
import type { Inbound } from '../../../src/channels/contract.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { purgeInboundJob, tellLatePartsJob } from '../../../src/modules/inbound/inbound.jobs.ts';
import type { Bringer } from '../../../src/modules/inbound/inbound-row.ts';
import { listInbound } from '../../../src/modules/inbound/list-inbound.ts';
import { tellLateParts } from '../../../src/modules/inbound/parts/tell-late-parts.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpAccount, setUpOtherProcess, setUpServices } from '../../support/fixtures.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpOtherProcess(on);
let bringer: Bringer;

beforeEach(async () => {
  await on.sql('delete from inbound_partials');
  bringer = { id: newId('con'), accountId: account.accountId, providerId: 'smpp', channel: 'sms' };
});

const PIECES = ['One ', 'two ', 'three'];

/** A part of a text of three, from 1. */
function part(number: number, given: Partial<Inbound> & { readonly reference?: string } = {}): Inbound {
  const { reference = '7', ...more } = given;
  const text = PIECES[number - 1] ?? '';
  const of = { reference, total: PIECES.length, number };
  return { providerMessageId: null, from: '12025550142', to: 'ACME', type: 'text', text, part: of, ...more };
}

const receive = async (...parts: readonly Inbound[]) =>
  (await receiveInbound(on.ctxFor(OPERATOR), bringer, parts)).map(({ result }) => result);

const texts = async () =>
  (await listInbound(on.ctxFor(account.actor('unified')), {})).rows.map(({ text }) => text).reverse();

/** Lets the wait of all parts be over. */
const passTime = () => on.sql(`update inbound_partials set due_at = now() - interval '1 second'`);

describe('a text in parts', () => {
  test.each([[[1, 2, 3]], [[3, 2, 1]], [[2, 3, 1]]])('is one with the last of %j, one after another', async order => {
    const results: string[] = [];
    for (const number of order) results.push(...(await receive(part(number))));
    expect(results).toEqual(['waiting', 'waiting', 'stored']);
    expect(await texts()).toEqual(['One two three']);
  });

  test('is one where all come together, beside a whole one', async () => {
    const whole = { ...part(1), part: undefined, text: 'Whole' } as unknown as Inbound;
    expect(await receive(part(2), whole, part(1), part(3))).toEqual(['stored', 'stored', 'stored', 'stored']);
    expect((await texts()).sort()).toEqual(['One two three', 'Whole']);
  });

  test('of another person, with another reference or by another connection is another', async () => {
    await receive(part(1), part(2));
    await receive(part(3, { from: '12025550143' }), part(3, { reference: '8' }), part(3, { to: '15550000001' }));
    bringer = { ...bringer, id: newId('con') };
    await receive(part(3));
    expect(await texts()).toEqual([]);
  });

  test('counts a part once that is repeated, by its id or by itself', async () => {
    expect(await receive(part(1, { providerMessageId: 'p-1' }), part(1, { providerMessageId: 'p-1' }))).toContain(
      'repeated',
    );
    await receive(part(2), part(2));
    expect(await receive(part(3))).toEqual(['stored']);
    expect(await receive(part(3), part(1, { providerMessageId: 'p-1' }))).toEqual(['waiting', 'repeated']);
    expect(await texts()).toEqual(['One two three']);
  });

  test.each([
    ['of the same text', ['One ', 'two ', 'three']],
    ['of a text that begins as it did', ['One ', 'two ', 'four']],
  ])('is not the one before it with its reference, where its parts have other ids: %s', async (_which, pieces) => {
    const receiveAll = async (texts: readonly string[], ids: string) => {
      const results: string[] = [];
      for (const [index, text] of texts.entries())
        results.push(...(await receive(part(index + 1, { text, providerMessageId: `${ids}-${index}` }))));
      return results;
    };
    expect(await receiveAll(PIECES, 'p')).toEqual(['waiting', 'waiting', 'stored']);
    expect(await receiveAll(pieces, 'q')).toEqual(['waiting', 'waiting', 'stored']);
    expect(await receiveAll(pieces, 'q')).toEqual(['repeated', 'repeated', 'repeated']);
    expect(await texts()).toEqual([PIECES.join(''), pieces.join('')]);
  });

  test('begins anew where a phone uses its reference again', async () => {
    await receive(part(1), part(2), part(3));
    await receive(part(1, { text: 'And ' }), part(2, { text: 'then ' }));
    expect(await receive(part(3, { text: 'this' }))).toEqual(['stored']);
    expect(await texts()).toEqual(['One two three', 'And then this']);
  });
});

describe('a character that two parts share', () => {
  const halves = (first: string, second: string) => {
    const reference = '9';
    const of = (text: string, number: number) => part(number, { text, part: { reference, total: 2, number } });
    return [of(first, 1), of(second, 2)];
  };

  test.each([
    ['an emoji', 'Fine \ud83d', '\udc4d, thanks', 'Fine 👍, thanks'],
    ['a euro sign behind an escape', 'It costs 5 \u001b', 'e.', 'It costs 5 €.'],
    ['an escape of nothing known', 'A\u001b', 'zB', 'AzB'],
    ['half an emoji alone', 'Fine \ud83d', ', thanks', 'Fine \ufffd, thanks'],
    ['a NUL', 'Fine\u0000', ', thanks', 'Fine, thanks'],
  ])('%s is whole in the text', async (_what, first, second, whole) => {
    const [one, two] = halves(first, second);
    if (one) await receive(one);
    if (two) await receive(two);
    expect(await texts()).toEqual([whole]);
  });
});

describe('a part that does not come', () => {
  const late = () => tellLateParts(on.ctxFor(OPERATOR));

  test.each([
    [[1, 3], 'One […]three'],
    [[2], '[…]two […]'],
    [[1], 'One […]'],
  ])('leaves a gap: of %j is told %j, once', async (numbers, told) => {
    await receive(...numbers.map(number => part(number)));
    expect(await late()).toBe(0);
    await passTime();
    expect(await late()).toBe(1);
    expect(await late()).toBe(0);
    expect(await texts()).toEqual([told]);
  });

  test.each([1, 2])('leaves no word, though all that came of it is STOP in part %d', async number => {
    const stop = { from: '12025550177', text: 'STOP', part: { reference: '5', total: 2, number } };
    await receive(part(1, stop));
    await passTime();
    await late();
    expect(await texts()).toHaveLength(1);
    expect(on.services.suppressed.has(account.accountId, '12025550177')).toBe(false);
  });

  test('is told by itself where it comes too late', async () => {
    await receive(part(1), part(2));
    await passTime();
    await late();
    expect(await receive(part(3))).toEqual(['waiting']);
    await passTime();
    await late();
    expect(await texts()).toEqual(['One two […]', '[…]three']);
  });

  test('is waited for ten minutes', async () => {
    await receive(part(1));
    const [row] = await on.sql<{ seconds: number }>(
      'select round(extract(epoch from due_at - now()))::int as seconds from inbound_partials',
    );
    expect(row?.seconds).toBeGreaterThan(590);
    expect(row?.seconds).toBeLessThanOrEqual(600);
  });

  test('leaves nothing behind', async () => {
    await receive(part(1, { providerMessageId: 'p-9' }));
    await passTime();
    await tellLatePartsJob.run(on.ctxFor(OPERATOR), {});
    await on.sql(`update inbound_seen set seen_at = now() - interval '8 days'`);
    await purgeInboundJob.run(on.ctxFor(OPERATOR), {});
    expect(await on.sql('select from inbound_partials union all select from inbound_seen')).toEqual([]);
    expect(await texts()).toHaveLength(1);
  });
});

describePostgres('the parts of many texts at two processes', () => {
  test('become each text once, in whatever order they come', async () => {
    const elsewhere = on.ctxFor(OPERATOR).with({ services: { ...on.services, database: other } });
    const references = Array.from({ length: 40 }, (_unused, n) => `${n}`);
    const results = await Promise.all(
      references.flatMap((reference, n) =>
        [1, 2, 3].map(number =>
          receiveInbound((n + number) % 2 === 0 ? elsewhere : on.ctxFor(OPERATOR), bringer, [
            part(number, { reference }),
          ]),
        ),
      ),
    );
    const ids = new Set(results.flat().flatMap(({ messageId }) => messageId ?? []));
    expect(ids.size).toBe(40);
    expect(await texts()).toEqual(references.map(() => 'One two three'));
  });
});
