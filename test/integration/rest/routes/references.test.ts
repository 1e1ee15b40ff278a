import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { recordReceipts } from '../../../../src/modules/routing/receipts/record-receipts.ts';
import { OPERATOR_TOKEN, type RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { sendsOf } from '../../../support/messaging/rest-sends.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';
import { expectProblem } from '../../../support/problems.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

const { send, countRows } = sendsOf(on, customer);

describe('a repeat with the same reference', () => {
  async function statusOf(messageId: unknown): Promise<string | undefined> {
    const [row] = await on.sql<{ status: string }>('select status from messages where id = $1', [
      toUuid(String(messageId)),
    ]);
    return row?.status;
  }

  test('is answered with the same bytes, after a later receipt too, and sends nothing', async () => {
    const own = await on.customer();
    const body = { ...SMS, reference: 'order-1' };
    const first = await send(body, {}, own);
    const [attempt] = await on.sql<{ provider_message_id: string }>(
      'select provider_message_id from attempts where account_id = $1',
      [toUuid(own.accountId)],
    );
    const providerMessageId = attempt?.provider_message_id ?? '';
    const receipt = { provider: 'sandbox', providerMessageId, errorCode: null, errorMessage: null };
    await recordReceipts(on.app.makeCtx({ kind: 'operator', account: null }, 'test'), [
      { ...receipt, status: 'delivered' },
    ]);
    await expect(statusOf(first.body.data?.messageId)).resolves.toBe('delivered');
    const rows = await countRows(own);
    const again = await send(body, {}, own);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    await expect(countRows(own)).resolves.toBe(rows);
  });

  test('is the same request where only its spelling differs', async () => {
    const first = await send({ ...SMS, reference: 'spelling' });
    const again = await send({
      reference: 'spelling',
      deliveryMode: 'fallback',
      channels: ['sms'],
      ...SMS,
      to: '1 202 555 0100',
    });
    expect(again.text).toBe(first.text);
  });

  test('is answered with the first failure', async () => {
    const body = { ...SMS, to: '12025550101', reference: 'failed' };
    const [first, again] = [await send(body), await send(body)];
    expectProblem(again, 502, 'all_channels_failed');
    expect(again.body.data).toEqual(first.body.data);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test('is answered though its sender takes templates alone by now', async () => {
    const own = await on.customer();
    const requireTemplate = (isRequired: boolean) =>
      on.graphql('mutation ($input: SetTemplateRequiredInput!) { setTemplateRequired(input: $input) { id } }', {
        token: OPERATOR_TOKEN,
        variables: { input: { accountId: own.accountId, address: '15550000002', isRequired } },
      });
    await requireTemplate(false);
    const body = { to: '+12025550100', text: 'Hello', channels: ['chat_cloud'], reference: 'free-text' };
    const first = await send(body, {}, own);
    await requireTemplate(true);
    const again = await send(body, {}, own);
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    expectProblem(await send({ ...body, text: 'Other' }, {}, own), 422, 'reference_reused');
    expectProblem(await send({ ...body, reference: 'new' }, {}, own), 400, 'invalid_input');
    await on.sql('update idempotency_keys set expires_at = now() where account_id = $1', [toUuid(own.accountId)]);
    expectProblem(await send(body, {}, own), 400, 'invalid_input');
  });

  test('is refused where the request is another one', async () => {
    await send({ ...SMS, reference: 'reused' });
    expectProblem(await send({ ...SMS, text: 'Other', reference: 'reused' }), 422, 'reference_reused');
  });

  test('is another reference in another area', async () => {
    await send({ ...SMS, reference: 'area' });
    const body = { ...SMS, text: 'Other', reference: 'area' };
    const { status, headers } = await on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body });
    expect([status, headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  test('is another reference in another account', async () => {
    await send({ ...SMS, reference: 'account' });
    const { status } = await send({ ...SMS, text: 'Other', reference: 'account' }, {}, await on.customer());
    expect(status).toBe(200);
  });

  test('waits while the first one runs: 409 with Retry-After', async () => {
    const own = await on.customer();
    const body = { ...SMS, to: '12025550107', reference: 'running' };
    const answers = await Promise.all([send(body, {}, own), send(body, {}, own)]);
    const [done, refused] = answers.sort((a, b) => a.status - b.status) as [RestAnswer, RestAnswer];
    expect(done.status).toBe(200);
    expectProblem(refused, 409, 'reference_in_flight');
    expect(refused.body.retryAfter).toBe(1);
    expect(refused.headers.get('retry-after')).toBe('1');
  });

  test.each(['"quoted-key"', 'bare-key'])('by the header Idempotency-Key: %s', async key => {
    const own = await on.customer();
    const first = await send(SMS, { 'idempotency-key': key }, own);
    expect(first.body.data?.reference).toBe(key.replaceAll('"', ''));
    const again = await send({ ...SMS, reference: key.replaceAll('"', '') }, {}, own);
    expect(again.text).toBe(first.text);
  });

  test('takes header and field that are the same', async () => {
    const { status, body } = await send({ ...SMS, reference: 'both' }, { 'idempotency-key': '"both"' });
    expect([status, body.data?.reference]).toEqual([200, 'both']);
  });

  test('takes header and field that are the same with their quotes', async () => {
    const { status, body } = await send({ ...SMS, reference: '"both"' }, { 'idempotency-key': '"both"' });
    expect([status, body.data?.reference]).toEqual([200, '"both"']);
  });

  test('refuses header and field that differ', async () => {
    const answer = await send({ ...SMS, reference: 'one' }, { 'idempotency-key': 'two' });
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors?.map(error => error.field)).toEqual(['reference']);
  });

  test.each(['""', 'a b', '"ä"', 'k'.repeat(256)])('refuses the header %j', async key => {
    const answer = await send(SMS, { 'idempotency-key': key });
    expectProblem(answer, 400, 'invalid_input');
    expect(answer.body.errors?.map(error => error.field)).toEqual(['Idempotency-Key']);
  });
});
