import { beforeEach, describe, expect, test } from 'vitest';
import type { Report } from '../../../src/channels/contract.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createConnection } from '../../../src/modules/connections/manage-connections.ts';
import { earlyReceiptsJob } from '../../../src/modules/receipts/early-receipts.ts';
import { receiveReports } from '../../../src/modules/receipts/receive-reports.ts';
import { keepParts } from '../../../src/modules/routing/receipts/parts.ts';
import { type HttpGateway, openHttpGateway } from '../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { loggedRequests } from '../../support/requests/logged-requests.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);
const gateway = oncePerTest(openHttpGateway, gate => gate.close());

const operator = () => on.app.makeCtx(OPERATOR, 'test');

/** Connects a gateway for the customer. */
async function connect(to: HttpGateway = gateway): Promise<string> {
  const { id } = await createConnection(operator(), {
    accountId: customer.accountId,
    provider: 'http-sms',
    channel: 'sms',
    name: 'Carrier',
    config: { ...to.config },
  });
  await on.app.services.providers.refresh();
  return id;
}

const sms = (to = `+${newRecipient()}`, more: object = {}) =>
  on.rest('POST', '/api/sms/send', {
    token: customer.tokens.sms,
    body: { to, text: 'Hello', sender: 'ACME', ...more },
  });

/** The newest attempt of the customer, as it is stored. */
async function attempt() {
  const [row] = await on.sql<{ id: string; status: string; provider: string; error_code: string; credits: number }>(
    `select id, status, provider, error_code, credits from attempts where account_id = $1 order by id desc limit 1`,
    [toUuid(customer.accountId)],
  );
  return row;
}

/** Reports as the carrier does, to the address that it was given with the last message. */
async function report(query: Record<string, string>, more: { path?: string; method?: string; body?: string } = {}) {
  const given = new URL(gateway.messages.at(-1)?.receipts ?? '');
  const path = `${more.path ?? given.pathname}?${new URLSearchParams(query)}`;
  return on.rest(more.method ?? 'GET', path, more.body === undefined ? {} : { body: more.body });
}

/** The jobs of receipts that wait for their attempt, with how many seconds after now each looks again. */
const waiting = () =>
  on.sql<{ id: string; data: { receipts: never[]; look: number }; seconds: number }>(
    `select id, data, round(extract(epoch from start_after - created_on))::int as seconds from pgboss.job
     where name = $1 and state < 'active' order by created_on desc`,
    [earlyReceiptsJob.name],
  );

beforeEach(async () => {
  await on.sql(`delete from pgboss.job where name = $1`, [earlyReceiptsJob.name]);
});

describe('the address of receipts', () => {
  beforeEach(async () => {
    await connect();
    expect((await sms()).body.data).toMatchObject({ status: 'sent', attempts: [{ provider: 'http-sms', credits: 1 }] });
  });

  test.each(['GET', 'POST'])('takes what the provider reports by %s', async method => {
    expect(await report({ id: 'gw-1', status: 'D' }, { method })).toMatchObject({ status: 200, text: 'ok\n' });
    expect(await attempt()).toMatchObject({ status: 'delivered', credits: 1 });
  });

  test('is in the request log where a report is refused, for the operator and without the token', async () => {
    const { pathname } = new URL(gateway.messages.at(-1)?.receipts ?? '');
    const [, , connectionId = '', token = ''] = pathname.split('/');
    await report({ id: 'gw-1', status: 'D' });
    const { status, headers } = await report({ id: 'gw-1', status: 'F' }, { path: `${pathname}x` });
    expect(status).toBe(403);
    const kept = (await loggedRequests(on, null)).filter(({ path }) => path.includes(connectionId));
    expect(kept).toEqual([
      expect.objectContaining({
        method: 'GET',
        path: `/receipts/${connectionId}/…`,
        status: 403,
        code: 'unauthenticated',
        actor: 'stranger',
        token_id: null,
        request_id: headers.get('x-request-id'),
      }),
    ]);
    expect(JSON.stringify(kept)).not.toContain(token);
    expect(await loggedRequests(on, customer.accountId)).toEqual([]);
  });

  test('is in the request log by plain words alone where it names no connection', async () => {
    const { headers } = await report({}, { path: '/receipts/482913/verysecret' });
    const kept = await loggedRequests(on, null);
    expect(kept.find(row => row.request_id === headers.get('x-request-id'))).toMatchObject({
      path: '/receipts/…/…',
      status: 403,
    });
  });

  test('finds the attempt by our own id where the provider repeats that', async () => {
    const { attempt: attemptId = '' } = gateway.messages[0] ?? {};
    expect(await report({ attempt: attemptId, status: 'F' })).toMatchObject({ status: 200 });
    expect(await attempt()).toMatchObject({ status: 'failed', error_code: 'F', credits: 1 });
  });

  test('raises by rank only, whatever comes twice or late', async () => {
    for (const status of ['S', 'D', 'F', 'D', 'S']) await report({ id: 'gw-1', status });
    expect(await attempt()).toMatchObject({ status: 'delivered', credits: 1 });
  });

  test('answers 200 about an attempt that nobody knows, and to a word that it does not know', async () => {
    expect(await report({ id: 'gw-unknown', status: 'D' })).toMatchObject({ status: 200 });
    expect(await report({ id: 'gw-1', status: 'what' })).toMatchObject({ status: 200 });
    expect(await attempt()).toMatchObject({ status: 'sent' });
  });

  test.each<[what: string, change: (path: string) => string]>([
    ['another token', path => `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`],
    ['no such connection', path => path.replace(/con_[0-9a-f]{4}/, 'con_0000')],
    ['no id at all', path => path.replace(/con_[0-9a-f]+/, 'x')],
  ])('refuses a report with %s, and changes nothing', async (_what, change) => {
    const { pathname } = new URL(gateway.messages[0]?.receipts ?? '');
    const answer = await report({ id: 'gw-1', status: 'D' }, { path: change(pathname) });
    expect(answer.status).toBe(403);
    expect(await attempt()).toMatchObject({ status: 'sent' });
  });

  test.each(['HEAD', 'PUT', 'DELETE'])('takes nothing by %s', async method => {
    const answer = await report({ id: 'gw-1', status: 'D' }, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST']);
    expect(await attempt()).toMatchObject({ status: 'sent' });
  });

  test('refuses a body that is too large', async () => {
    const answer = await report({ id: 'gw-1', status: 'D' }, { method: 'POST', body: 'x'.repeat(70_000) });
    expect(answer).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
  });

  test('does not let one connection tell of the attempts of another', async () => {
    const other = await openHttpGateway();
    const id = await connect(other);
    const [row] = await on.sql<{ token: string }>('select id::text as token from connections where id = $1', [
      toUuid(id),
    ]);
    expect(row).toBeDefined();
    await receiveReports(operator(), { id, providerId: 'http-sms' }, [reportOf('gw-1')]);
    expect(await attempt()).toMatchObject({ status: 'sent' });
    await other.close();
  });

  test('is answered still after the connection was removed', async () => {
    await on.sql('update connections set removed_at = now()');
    await on.app.services.providers.refresh();
    expect((await sms()).body.data).toMatchObject({ attempts: [{ provider: 'sandbox' }] });
    const first = await on.sql<{ id: string }>('select id from attempts where account_id = $1 order by id limit 1', [
      toUuid(customer.accountId),
    ]);
    expect(await report({ id: 'gw-1', status: 'D' })).toMatchObject({ status: 200 });
    const [row] = await on.sql('select status from attempts where id = $1', [first[0]?.id]);
    expect(row).toEqual({ status: 'delivered' });
  });
});

const reportOf = (providerMessageId: string, status: Report['status'] = 'delivered'): Report => ({
  providerMessageId,
  status,
  errorCode: null,
  errorMessage: null,
});

describe('a receipt that comes before its attempt is known', () => {
  beforeEach(async () => {
    await connect();
    gateway.answerWith(async ({ receipts }, response) => {
      // Before the answer, as a carrier that is fast does.
      await on.rest('GET', `${new URL(receipts).pathname}?id=gw-early&status=D`);
      response.writeHead(202).end('id=gw-early');
    });
    await sms();
  });

  test('waits for it, and is taken then', async () => {
    expect(await attempt()).toMatchObject({ status: 'sent' });
    const [job] = await waiting();
    expect(job?.data.receipts).toHaveLength(1);
    await earlyReceiptsJob.run(operator(), job?.data ?? { receipts: [], look: 1 });
    expect(await attempt()).toMatchObject({ status: 'delivered' });
    expect(await waiting()).toHaveLength(1);
  });

  test('waits longer from look to look, 15 minutes in all', async () => {
    await on.sql('update attempts set provider_message_id = $1 where account_id = $2', [
      'other',
      toUuid(customer.accountId),
    ]);
    const seconds: number[] = [];
    for (let [job] = await waiting(); job; [job] = await waiting()) {
      seconds.push(job.seconds);
      await on.sql('delete from pgboss.job where name = $1', [earlyReceiptsJob.name]);
      await earlyReceiptsJob.run(operator(), job.data);
    }
    expect(seconds).toEqual([1, 9, 50, 240, 600]);
    expect(seconds.reduce((sum, one) => sum + one)).toBe(15 * 60);
  });
});

test('an id that a provider gives again is that of the newest text', async () => {
  await connect();
  gateway.answerWith((_message, response) => response.writeHead(202).end('id=again'));
  await sms();
  await sms();
  await report({ id: 'again', status: 'D' });
  const rows = await on.sql<{ status: string }>('select status from attempts where account_id = $1 order by id', [
    toUuid(customer.accountId),
  ]);
  expect(rows.map(({ status }) => status)).toEqual(['sent', 'delivered']);
});

test('an id that a provider gives again says nothing of the newest text where the receipt names another one', async () => {
  await connect();
  gateway.answerWith((_message, response) => response.writeHead(202).end('id=again'));
  await sms();
  await sms();
  const [{ attempt: attemptId = '' } = {}] = gateway.messages;
  await report({ attempt: attemptId, id: 'again', status: 'F' });
  const rows = await on.sql<{ status: string }>('select status from attempts where account_id = $1 order by id', [
    toUuid(customer.accountId),
  ]);
  expect(rows.map(({ status }) => status)).toEqual(['failed', 'sent']);
});

test.each([{ id: 'gw-1\u0000' }, { id: 'gw-0', attempt: '\u0000' }])(
  '%j cannot be stored, and is about no attempt',
  async ids => {
    await connect();
    await sms();
    for (const status of ['D', 'F']) expect(await report({ ...ids, status })).toMatchObject({ status: 200 });
    expect(await waiting()).toEqual([]);
    expect(await attempt()).toMatchObject({ status: 'sent' });
  },
);

test('a receipt that proves what was unknown charges it, once', async () => {
  await connect();
  gateway.answerWith((_message, _response, request) => request.socket.destroy());
  expect((await sms()).body.data).toMatchObject({ status: 'unknown', attempts: [{ status: 'unknown', credits: 0 }] });
  const { attempt: attemptId = '' } = gateway.messages[0] ?? {};
  for (let count = 0; count < 3; count++) await report({ attempt: attemptId, id: 'gw-9', status: 'D' });
  expect(await attempt()).toMatchObject({ status: 'delivered', credits: 1 });
  const [money] = await on.sql('select credits, held from accounts where id = $1', [toUuid(customer.accountId)]);
  expect(money).toEqual({ credits: 999_999, held: 0 });
});

describe('a text in several parts', () => {
  const PARTS = ['p1', 'p2', 'p3'];

  async function sendParts(): Promise<(part: string, status?: Report['status']) => Promise<void>> {
    const id = await connect();
    gateway.answerWith(async ({ attempt: attemptId }, response) => {
      await keepParts(operator(), { attemptId, connectionId: id, partIds: PARTS });
      response.writeHead(202).end('id=p1');
    });
    await sms();
    await on.sql(`update attempts set provider = 'smpp' where account_id = $1`, [toUuid(customer.accountId)]);
    return (part, status) => receiveReports(operator(), { id, providerId: 'smpp' }, [reportOf(part, status)]);
  }

  test('is delivered when all of them are, in whatever order they come', async () => {
    const tell = await sendParts();
    for (const part of ['p3', 'p1', 'p1']) await tell(part);
    expect(await attempt()).toMatchObject({ status: 'sent' });
    await tell('p2');
    expect(await attempt()).toMatchObject({ status: 'delivered' });
  });

  test('fails as soon as one does', async () => {
    const tell = await sendParts();
    await tell('p1');
    await tell('p2', 'failed');
    expect(await attempt()).toMatchObject({ status: 'failed' });
    await tell('p3');
    expect(await attempt()).toMatchObject({ status: 'failed' });
  });

  test('goes up the ranks: what arrives after all corrects a failure, and is not taken back', async () => {
    const tell = await sendParts();
    await tell('p1', 'expired');
    expect(await attempt()).toMatchObject({ status: 'expired' });
    for (const part of ['p1', 'p2', 'p3']) await tell(part);
    expect(await attempt()).toMatchObject({ status: 'delivered' });
    await tell('p2', 'failed');
    expect(await attempt()).toMatchObject({ status: 'delivered' });
  });

  test('is put together where the reports come at the same time', async () => {
    const tell = await sendParts();
    await Promise.all(PARTS.map(part => tell(part)));
    expect(await attempt()).toMatchObject({ status: 'delivered' });
  });
});

describe('the sandbox', () => {
  test.each(['+12025550100', '+12025550101', '+12025550108'])(
    'answers for %s, also where an account is connected',
    async to => {
      await connect();
      expect((await sms(to)).body.data).toMatchObject({ attempts: [{ provider: 'sandbox' }] });
      expect(gateway.messages).toEqual([]);
    },
  );

  test('does not answer for a channel that is not connected where another one is', async () => {
    await connect();
    const { body } = await on.rest('POST', '/api/omni/send', {
      token: customer.tokens.unified,
      body: { to: `+${newRecipient()}`, text: 'Hello', channels: ['chat_qr'], chatFrom: '15550000001' },
    });
    expect(body.data).toMatchObject({ status: 'failed', attempts: [{ provider: null, errorCode: 'no_route' }] });
  });
});
