import { describe, expect, test } from 'vitest';
import type { Actor } from '../../../src/context.ts';
import { newId, toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import { shownAddress } from '../../../src/modules/audit/list-audit.ts';
import {
  type ListRequestsInput,
  listRequests,
  listRequestsInput,
} from '../../../src/modules/requests/list-requests.ts';
import { LoggedRequest } from '../../../src/modules/requests/logged-request.entity.ts';
import { purgeRequests } from '../../../src/modules/requests/requests.jobs.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { readInput, refusal } from '../../support/refusal.ts';
import { OPERATOR } from '../../support/services.ts';

const DAY_MS = 86_400_000;

const on = setUpServices();
const account = setUpAccount(on);
const other = setUpAccount(on);

async function record(values: Partial<LoggedRequest> = {}): Promise<string> {
  const em = on.database.fork();
  const made = em.create(LoggedRequest, {
    id: newId('rql'),
    accountId: account.accountId,
    actor: 'token',
    method: 'POST',
    path: '/api/omni/send',
    status: 400,
    code: 'invalid_input',
    clientAddress: '192.0.2.7',
    durationMs: 3,
    requestId: newId('msg').replace('msg', 'req'),
    leftOut: 0,
    ...values,
  });
  await em.flush();
  return made.id;
}

function list(input: ListRequestsInput = {}, by: Actor = account.actor('management')) {
  return listRequests(on.ctxFor(by), input);
}

async function ids(input?: ListRequestsInput, by?: Actor): Promise<string[]> {
  return (await list(input, by)).rows.map(({ id }) => id);
}

describe('who sees it', () => {
  test('a management token: its own account, which it may name', async () => {
    const own = await record();
    await record({ accountId: other.accountId });
    expect(await ids()).toEqual([own]);
    expect(await ids({ accountId: account.accountId })).toEqual([own]);
  });

  test('an operator: all, the named account, or strangers', async () => {
    const own = await record();
    const theirs = await record({ accountId: other.accountId });
    const nobody = await record({ accountId: null, actor: 'stranger' });
    expect(await ids({}, OPERATOR)).toEqual(expect.arrayContaining([own, theirs, nobody]));
    expect(await ids({ accountId: other.accountId }, OPERATOR)).toEqual([theirs]);
    const strangers = await ids({ filter: { strangers: true } }, OPERATOR);
    expect([strangers.includes(nobody), strangers.includes(own)]).toEqual([true, false]);
  });

  test('nobody but the operator: strangers', async () => {
    await expect(list({ filter: { strangers: true } })).rejects.toEqual(refusal('wrong_area'));
  });

  test('nobody: strangers of an account, since they belong to none', async () => {
    const asked = list({ accountId: account.accountId, filter: { strangers: true } }, OPERATOR);
    await expect(asked).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ field: 'accountId', message: expect.stringContaining('must be left out') }] },
    });
  });

  test.each(['unified', 'sms', 'otp'] as const)('no token of the area %s', async area => {
    await expect(list({}, account.actor(area))).rejects.toEqual(refusal('wrong_area'));
  });

  test.each(['theirs', 'missing', 'malformed'])('no account that is %s', async which => {
    const accountId = { theirs: other.accountId, missing: newId('acc'), malformed: 'acc_1' }[which] ?? '';
    await expect(list({ accountId })).rejects.toEqual(refusal('not_found'));
  });

  test("an account's log holds no request of another with the same id", async () => {
    const [requestId, own] = ['checkout', await record({ requestId: 'checkout' })];
    await record({ accountId: other.accountId, requestId });
    expect(await ids({ filter: { requestId } })).toEqual([own]);
  });
});

describe('the address', () => {
  test('of an operator is shown to operators alone', async () => {
    await record({ actor: 'operator' });
    const { rows } = await list();
    const [row] = rows;
    if (!row) throw new Error('nothing is listed');
    const shown = [account.actor('management'), OPERATOR].map(by => shownAddress(on.ctxFor(by), row));
    expect(shown).toEqual([null, '192.0.2.7']);
  });
});

describe('the filter', () => {
  test.each<[string, Partial<LoggedRequest>, NonNullable<ListRequestsInput['filter']>]>([
    ['a status', { status: 403 }, { status: '403' }],
    ['a class of statuses', { status: 503 }, { status: '5xx' }],
    ['a code in either case', { code: 'rate_limited' }, { code: 'RATE_LIMITED' }],
    ['a path', { path: '/plants' }, { path: '/plants' }],
    ['an operation', { operation: 'Welcome' }, { operation: 'Welcome' }],
    ['an id that was cleaned', { requestId: 'order-…' }, { requestId: 'order-1042' }],
  ])('takes %s', async (_name, values, filter) => {
    await record();
    const wanted = await record(values);
    expect(await ids({ filter })).toEqual([wanted]);
  });

  test('takes a token, and finds nothing by what is none', async () => {
    const tokenId = newId('tok');
    await record();
    const wanted = await record({ tokenId });
    expect(await ids({ filter: { tokenId } })).toEqual([wanted]);
    expect(await ids({ filter: { tokenId: 'tok_1' } })).toEqual([]);
  });

  test('takes a time, from inclusive and to exclusive', async () => {
    const at = new Date('2026-11-20T12:00:00Z');
    const wanted = await record({ id: `rql_${uuidFloor(at).replaceAll('-', '')}` });
    await record();
    const after = new Date(at.getTime() + 1);
    expect(await ids({ filter: { from: at, to: after } })).toEqual([wanted]);
    expect(await ids({ filter: { from: after, to: new Date(after.getTime() + 1) } })).toEqual([]);
    await on.sql('delete from logged_requests where account_id = $1', [toUuid(account.accountId)]);
  });

  test('refuses what is no status', async () => {
    const wrong = { filter: { status: '99' } };
    expect(() => readInput(listRequestsInput, wrong)).toThrow(refusal('invalid_input', 'filter.status'));
  });
});

test('what is older than REQUEST_LOG_DAYS is forgotten', async () => {
  const idOf = (days: number) =>
    `rql_${uuidFloor(new Date(on.clock.now().getTime() - days * DAY_MS)).replaceAll('-', '')}`;
  const ctx = on.ctxFor(OPERATOR);
  await purgeRequests(ctx);
  const kept = await record({ id: idOf(6.9) });
  await record({ id: idOf(7.1) });
  expect(await purgeRequests(ctx)).toBe(1);
  expect(await ids()).toEqual([kept]);
});
