import { describe, expect, test } from 'vitest';
import type { Receipt } from '../../../src/channels/contract.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createConnection, updateConnection } from '../../../src/modules/connections/manage-connections.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { followSends } from '../../../src/modules/routing/follow-ups/follow-sends.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { statementsOf } from '../../support/databases/statements.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { createFollowUps } from '../../support/messaging/follow-ups.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

const TIMELINE = `timeline {
  at sinceMs kind reason channel status provider connection { name } skipped { name verdict }
  errorCode providerMessageId durationMs segments credits webhook { event urlHost status tries }
}`;

interface Entry {
  readonly at: string;
  readonly durationMs: number | null;
  readonly kind: string;
  readonly reason: string;
  readonly channel: string | null;
  readonly status: string | null;
  readonly connection: { readonly name: string } | null;
  readonly skipped: readonly object[];
  readonly errorCode: string | null;
  readonly providerMessageId: string | null;
  readonly sinceMs: number;
  readonly webhook: object | null;
}

async function send(input: object): Promise<string> {
  const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
  const variables = { input: { text: 'Hello', sender: 'ACME', ...input } };
  const { data } = await on.graphql<{ sendMessage: { id: string } }>(query, {
    token: customer.tokens.unified,
    variables,
  });
  return data?.sendMessage.id ?? '';
}

async function timelineOf(id: string, token: string = customer.tokens.management): Promise<readonly Entry[]> {
  const query = `query ($id: String!) { message(id: $id) { ${TIMELINE} } }`;
  const { data } = await on.graphql<{ message: { timeline: Entry[] } | null }>(query, { token, variables: { id } });
  return data?.message?.timeline ?? [];
}

const kinds = (entries: readonly Entry[]) =>
  entries.map(({ kind, channel, status }) => [kind, channel, status].filter(part => part !== null).join(' '));

async function report(id: string, status: Receipt['status'], errorCode: string | null = null): Promise<void> {
  const accepted = (await timelineOf(id)).find(({ providerMessageId }) => providerMessageId !== null);
  const providerMessageId = accepted?.providerMessageId ?? '';
  const receipt = { provider: 'sandbox', providerMessageId, status, errorCode, errorMessage: null };
  await recordReceipts(on.app.makeCtx(OPERATOR, 'test'), [receipt]);
}

const waits = createFollowUps({ sql: (text, parameters) => on.sql(text, parameters) });
const inTime = () => ({ to: newRecipient(), channels: ['CHAT_QR', 'SMS'], chatFrom: '15550000001', fallbackAfter: 30 });

describe('the timeline of a message whose channel has time to deliver', () => {
  test('shows the time while it runs, and no channel as skipped', async () => {
    const id = await send(inTime());
    const entries = await timelineOf(id);
    expect(kinds(entries)).toEqual([
      'ACCEPTED',
      'ATTEMPT_STARTED CHAT_QR',
      'ATTEMPT_ENDED CHAT_QR SENT',
      'WAITING CHAT_QR',
    ]);
    expect(entries.at(-1)?.reason).toMatch(/^SMS follows in (2[5-9]|30) s unless it is delivered\.$/);
  });

  test('says that the next channel followed since the time was over', async () => {
    const id = await send(inTime());
    await on.sql(
      `update attempts set started_at = started_at - interval '31 s', finished_at = finished_at - interval '31 s' where message_id = $1`,
      [toUuid(id)],
    );
    await waits.comeDue(id);
    await followSends(on.app.makeCtx(OPERATOR, 'test'), MESSAGE);
    const entries = await timelineOf(id);
    expect(kinds(entries)).toContain('ATTEMPT_STARTED SMS');
    expect(entries.find(({ kind, channel }) => kind === 'ATTEMPT_STARTED' && channel === 'SMS')?.reason).toContain(
      'QR chat had accepted it, but it was not delivered after 30 s, so SMS follows.',
    );
    expect(kinds(entries)).not.toContain('WAITING CHAT_QR');
  });

  test('says that the next channel followed since the first one failed', async () => {
    const id = await send(inTime());
    await report(id, 'failed', 'undelivered');
    expect((await timelineOf(id)).find(({ kind }) => kind === 'WAITING')?.reason).toBe('SMS follows now.');
    await followSends(on.app.makeCtx(OPERATOR, 'test'), MESSAGE);
    const started = (await timelineOf(id)).find(({ kind, channel }) => kind === 'ATTEMPT_STARTED' && channel === 'SMS');
    expect(started?.reason).toContain('QR chat had accepted it and could not deliver it, so SMS follows.');
  });

  test('says that the next channel was not needed where a receipt came in time', async () => {
    const id = await send(inTime());
    await report(id, 'delivered');
    const skipped = (await timelineOf(id)).find(({ kind }) => kind === 'CHANNEL_SKIPPED');
    expect(skipped).toMatchObject({ channel: 'SMS', reason: 'Not needed: QR chat had taken it.' });
  });
});

describe('the timeline of a message', () => {
  test('tells each channel in turn, and what its provider answered', async () => {
    const id = await send({ to: '+12025550102', channels: ['CHAT_QR', 'SMS'], chatFrom: '15550000001' });
    const entries = await timelineOf(id);
    expect(kinds(entries)).toEqual([
      'ACCEPTED',
      'ATTEMPT_STARTED CHAT_QR',
      'ATTEMPT_ENDED CHAT_QR FAILED',
      'ATTEMPT_STARTED SMS',
      'ATTEMPT_ENDED SMS SENT',
    ]);
    expect(entries[0]?.reason).toBe('Accepted, to go over QR chat, then SMS.');
    expect(entries[2]).toMatchObject({
      errorCode: 'recipient_not_found',
      reason: 'The recipient is not on this chat.',
    });
    expect(entries[3]?.reason).toBe(
      'QR chat did not take it, so SMS follows. The sandbox takes it: the number is one of its test numbers.',
    );
    expect(entries[4]).toMatchObject({ credits: 1, segments: 1, providerMessageId: expect.stringMatching(/^sbx_/) });
    expect(entries.map(({ sinceMs }) => sinceMs)).toEqual(
      entries.map(({ sinceMs }) => sinceMs).toSorted((a, b) => a - b),
    );
  });

  test('says of a channel whose outcome is not known that it may have it', async () => {
    const id = await send({ to: '+12025550106', channels: ['CHAT_QR', 'SMS'], chatFrom: '15550000001' });
    const started = (await timelineOf(id)).find(({ kind, channel }) => kind === 'ATTEMPT_STARTED' && channel === 'SMS');
    expect(started?.reason).toContain('QR chat may have it, but its answer never came, so SMS follows.');
  });

  test('says of a number that is not the sandbox’s own that nothing was connected', async () => {
    const entries = await timelineOf(await send({ to: '+447700900123', channels: ['SMS'] }));
    expect(entries[1]?.reason).toBe('The sandbox takes it: the account had no connection.');
  });

  test('says which channel was not needed', async () => {
    const id = await send({ to: '+12025550100', channels: ['SMS', 'CHAT_QR'], chatFrom: '15550000001' });
    const skipped = (await timelineOf(id)).find(({ kind }) => kind === 'CHANNEL_SKIPPED');
    expect(skipped).toMatchObject({ channel: 'CHAT_QR', reason: 'Not needed: SMS had taken it.' });
  });

  test('tells each receipt when it came', async () => {
    const id = await send({ to: '+12025550100', channels: ['SMS'] });
    await report(id, 'delivered');
    await report(id, 'read');
    expect(kinds(await timelineOf(id)).slice(2)).toEqual([
      'ATTEMPT_ENDED SMS SENT',
      'RECEIPT SMS DELIVERED',
      'RECEIPT SMS READ',
    ]);
  });

  test("tells a failure that a receipt reports as the receipt's", async () => {
    const id = await send({ to: '+12025550100', channels: ['SMS'] });
    await report(id, 'failed', 'absent_subscriber');
    const [ended, receipt] = (await timelineOf(id)).slice(2);
    expect(ended).toMatchObject({ kind: 'ATTEMPT_ENDED', status: 'SENT', errorCode: null });
    expect(receipt).toMatchObject({ kind: 'RECEIPT', status: 'FAILED', errorCode: 'absent_subscriber' });
  });

  test('names the connections that were passed over, and who could not send it', async () => {
    const ctx = () => on.app.makeCtx(OPERATOR, 'test');
    const connect = (name: string, more: object) =>
      createConnection(ctx(), {
        accountId: customer.accountId,
        provider: 'http-sms',
        channel: 'sms',
        name,
        // Nobody listens there.
        config: { request: { url: 'http://127.0.0.1:9/send' } },
        ...more,
      });
    const paused = await connect('paused', { priority: 1 });
    await updateConnection(ctx(), { connectionId: paused.id, paused: true });
    await connect('elsewhere', { priority: 2, countries: ['DE'] });
    await connect('first', { priority: 3 });
    await connect('second', { priority: 4 });
    await connect('last', { priority: 5, countries: ['DE'] });
    await on.app.services.providers.refresh();
    const entries = await timelineOf(await send({ to: `+${newRecipient()}`, channels: ['SMS'] }));
    expect(kinds(entries).slice(1)).toEqual([
      'ATTEMPT_STARTED SMS',
      'ATTEMPT_ENDED SMS FAILED',
      'ATTEMPT_STARTED SMS',
      'ATTEMPT_ENDED SMS FAILED',
    ]);
    expect(entries[1]).toMatchObject({
      connection: { name: 'first' },
      skipped: [
        { name: 'paused', verdict: 'PAUSED' },
        { name: 'elsewhere', verdict: 'COUNTRY' },
      ],
      reason:
        "first was chosen: first by priority, and healthy; passed over: paused (paused), elsewhere (not for the recipient's country).",
    });
    expect(entries[3]).toMatchObject({
      connection: { name: 'second' },
      reason: 'first could not send it; the next connection of the channel follows.',
    });
  });

  test('tells whom webhooks told, to who manages them alone', async () => {
    const create = 'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';
    const input = { url: 'https://example.com/hooks', events: ['message.sent'] };
    await on.graphql(create, { token: customer.tokens.management, variables: { input } });
    const id = await send({ to: '+12025550100', channels: ['SMS'] });
    const webhooks = (await timelineOf(id)).filter(({ kind }) => kind === 'WEBHOOK');
    expect(webhooks).toMatchObject([
      {
        reason: 'message.sent to example.com: is on its way.',
        webhook: { event: 'message.sent', urlHost: 'example.com', status: 'PENDING', tries: 0 },
      },
    ]);
    expect(kinds(await timelineOf(id, customer.tokens.unified))).not.toContain('WEBHOOK');
  });

  test("is not another account's", async () => {
    const id = await send({ to: '+12025550100', channels: ['SMS'] });
    const other = await on.customer();
    expect(await timelineOf(id, other.tokens.management)).toEqual([]);
  });
});

describe('the timeline of a passcode', () => {
  test('tells wrong and right codes', async () => {
    const to = '+12025550100';
    const token = customer.tokens.unified;
    const sent = await on.graphql<{ sendOtp: { pinId: string } }>(
      'mutation ($to: String!) { sendOtp(input: { to: $to, channels: [SMS], sender: "ACME" }) { pinId } }',
      { token, variables: { to } },
    );
    const pinId = sent.data?.sendOtp.pinId ?? '';
    const found = await on.graphql<{ sandboxWaitForCode: { code: string } }>(
      'query ($to: String!) { sandboxWaitForCode(to: $to) { code } }',
      { token, variables: { to } },
    );
    const code = found.data?.sandboxWaitForCode.code ?? '';
    const verify = (pin: string) =>
      on.graphql('mutation ($input: VerifyOtpInput!) { verifyOtp(input: $input) { status } }', {
        token,
        variables: { input: { pinId, pin } },
      });
    await verify(code.replace(/./, digit => String((Number(digit) + 1) % 10)));
    await verify(code);
    const { data } = await on.graphql<{ otp: { timeline: Entry[] } }>(
      `query ($pinId: String!) { otp(pinId: $pinId) { ${TIMELINE} } }`,
      { token, variables: { pinId } },
    );
    expect(kinds(data?.otp.timeline ?? [])).toEqual([
      'ACCEPTED',
      'ATTEMPT_STARTED SMS',
      'ATTEMPT_ENDED SMS SENT',
      'WRONG_CODE SMS FAILED',
      'VERIFIED SMS VERIFIED',
    ]);
    const [accepted, started, ended] = data?.otp.timeline ?? [];
    expect(accepted?.at).toBe(started?.at);
    expect(ended?.sinceMs).toBe(ended?.durationMs);
  });
});

describe('the timelines of a page', () => {
  test.each([
    [
      'messages',
      `query ($first: Int!) { messages(first: $first) { nodes { id ${TIMELINE} } } }`,
      () => send({ to: newRecipient(), channels: ['SMS'] }),
    ],
    [
      'passcodes',
      `query ($first: Int!) { otps(first: $first) { nodes { id ${TIMELINE} } } }`,
      () =>
        on.graphql('mutation ($input: SendOtpInput!) { sendOtp(input: $input) { id } }', {
          token: customer.tokens.unified,
          variables: { input: { to: newRecipient(), channels: ['SMS'], sender: 'ACME' } },
        }),
    ],
  ])('of %s take as many statements as one', async (_name, query, make) => {
    for (let made = 0; made < 8; made += 1) await make();
    const token = customer.tokens.management;
    const statementsFor = (first: number) =>
      statementsOf(on.app.services.database, async () => {
        const { data } = await on.graphql<Record<string, { nodes: { timeline: Entry[] }[] }>>(query, {
          token,
          variables: { first },
        });
        const [page] = Object.values(data ?? {});
        expect(page?.nodes.filter(({ timeline }) => kinds(timeline).includes('ATTEMPT_ENDED SMS SENT'))).toHaveLength(
          first,
        );
      });
    const [one, eight] = [await statementsFor(1), await statementsFor(8)];
    // Without those of the token, which is read once a second.
    const ofSends = (all: readonly string[]) =>
      all.filter(text => /"(messages|otps|attempts)"|webhook_events/.test(text));
    expect([ofSends(one).length, ofSends(eight).length]).toEqual([4, 4]);
  });
});
