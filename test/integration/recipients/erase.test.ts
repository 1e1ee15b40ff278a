import { randomBytes, randomInt } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { fromUuid, toUuid } from '../../../src/kernel/ids.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { startWebhooks } from '../../../src/modules/webhooks/deliveries/deliverer.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { createFollowUps } from '../../support/messaging/follow-ups.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { putEverywhere, type Somebody } from '../../support/recipients/everywhere.ts';
import { dumpDatabase, findWords } from '../../support/recipients/scan.ts';
import { OPERATOR } from '../../support/services.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';
import { makeEndpoint, queueDeliveries, storedDeliveries } from '../../support/webhooks/stored-webhooks.ts';

const on = setUpApp({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
const customer = setUpOwnCustomer(on);
const at = { on, customer };
let somebody: Somebody;

beforeEach(() => {
  somebody = newSomebody();
});

function newSomebody(): Somebody {
  const word = `w${randomBytes(8).toString('hex')}`;
  return { number: newPhone().replace('+', ''), userId: `9${randomInt(10 ** 12, 10 ** 13)}@lid`, word };
}

const ERASE = `mutation ($to: String!, $accountId: String) {
  eraseRecipient(to: $to, accountId: $accountId) { accountId rows isSuppressed } }`;
const EXPORT = `query ($to: String!, $limit: Int, $cursor: String, $accountId: String) {
  exportRecipient(to: $to, limit: $limit, cursor: $cursor, accountId: $accountId) { to addresses records { table row } nextCursor } }`;

interface Erased {
  readonly eraseRecipient: { readonly rows: Record<string, number>; readonly isSuppressed: boolean };
}
interface Exported {
  readonly exportRecipient: {
    readonly to: string;
    readonly addresses: readonly string[];
    readonly records: readonly { readonly table: string; readonly row: Record<string, unknown> }[];
    readonly nextCursor: string | null;
  };
}

const erase = (to = somebody.number, token = customer.tokens.management) =>
  on.graphql<Erased>(ERASE, { token, variables: { to: `+${to}` }, headers: { 'x-request-id': `erase-${to}` } });
const exported = async (to = somebody.number, token = customer.tokens.management, more: object = {}) => {
  const { data, errors } = await on.graphql<Exported>(EXPORT, { token, variables: { to: `+${to}`, ...more } });
  if (!data) throw new Error(JSON.stringify(errors));
  return data.exportRecipient;
};

/** The traces that must be found nowhere. An id of WhatsApp holds the number behind three bytes. */
const traces = ({ number, userId, word }: Somebody): string[] => [
  number,
  userId.replace('@lid', ''),
  word,
  Buffer.from(number).toString('hex'),
  Buffer.from(number).toString('base64').slice(0, -1),
];

const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messageId } }`;
const send = (to = somebody.number) =>
  on.graphql(SEND, { token: customer.tokens.unified, variables: { input: { to, text: 'Hello', sender: 'ACME' } } });

const write = (text: string, phone = somebody.number) =>
  on.graphql(`mutation ($input: SandboxReplyInput!) { sandboxReply(input: $input) { messageId } }`, {
    token: customer.tokens.unified,
    variables: { input: { phone, to: 'ACME', text } },
  });

const SUPPRESSED = [{ extensions: { code: 'RECIPIENT_SUPPRESSED' } }];

describe('erasing a recipient', () => {
  test('leaves its number, ids and words in no column of any table, and not in a dump', async () => {
    await putEverywhere(at, somebody, OPERATOR_TOKEN);
    const before = await findWords(on, traces(somebody));
    expect(before).toEqual(expect.arrayContaining(['messages.text', 'attempts.recipient', 'audit_entries.request_id']));
    const { data, errors } = await erase();
    expect(errors).toBeNull();
    expect(data?.eraseRecipient.isSuppressed).toBe(true);
    expect(await findWords(on, traces(somebody))).toEqual([]);
    const dump = await dumpDatabase(on.testDatabase);
    if (on.testDatabase.kind === 'postgres') expect(dump).toContain(toUuid(customer.accountId));
    expect(traces(somebody).filter(trace => dump.includes(trace))).toEqual([]);
  });

  test.each(['dialled', 'kept'] as const)('reaches both forms of a mobile by the one that is %s', async by => {
    const eight = `8${randomInt(10 ** 6, 10 ** 7)}`;
    // Nothing says that they are one person: WhatsApp keeps the form without the ninth digit.
    const forms = { dialled: `55119${eight}`, kept: `5511${eight}` };
    await send(forms.dialled);
    await write('Hello', forms.kept);
    const both = Object.values(forms);
    expect(await findWords(on, both)).toEqual(expect.arrayContaining(['attempts.recipient', 'person_addresses.value']));
    await erase(forms[by]);
    expect(await findWords(on, both)).toEqual([]);
  });

  test('leaves what another account holds of the same number', async () => {
    const other = await on.customer();
    const same = { ...newSomebody(), number: somebody.number };
    await putEverywhere({ on, customer: other }, same, OPERATOR_TOKEN);
    await putEverywhere(at, somebody, OPERATOR_TOKEN);
    const before = await exported(somebody.number, other.tokens.management);
    await erase();
    expect(await exported(somebody.number, other.tokens.management)).toEqual(before);
    expect(before.records.length).toBeGreaterThan(50);
  });

  test.each([
    ['leaves the parts of a text that came to a sender of several accounts by a shared connection', 'sms', 1],
    ['takes those that came to a sender of its own, which is another account’s at another channel', 'chat_cloud', 0],
  ])('%s', async (_what, channel, left) => {
    const [own, other] = [await on.customer(), await on.customer()];
    const to_address = newPhone().slice(1);
    const rename = (at: string, { accountId }: typeof own) =>
      on.sql(`update senders set channel = $1, address = $2 where account_id = $3 and address = 'ACME'`, [
        at,
        to_address,
        toUuid(accountId),
      ]);
    await rename('sms', own);
    await rename(channel, other);
    const head = { account_id: null, channel: 'sms', from_number: somebody.number, from_user_id: null, to_address };
    await on.sql(
      'insert into inbound_partials (connection_id, key, head, total, parts, due_at) values (gen_random_uuid(), $1, $2, 2, $3, now())',
      [somebody.number, JSON.stringify(head), JSON.stringify({ 1: somebody.word })],
    );
    expect((await exported(somebody.number, own.tokens.management)).records).toHaveLength(1 - left);
    await erase(somebody.number, own.tokens.management);
    expect(await on.sql('select from inbound_partials where key = $1', [somebody.number])).toHaveLength(left);
  });

  test('leaves the answer of another send, which has the reference by now', async () => {
    const reference = `daily-${somebody.number}`;
    const sendTo = async (to: string) =>
      (
        await on.graphql<{ sendMessage: { messageId: string } }>(SEND, {
          token: customer.tokens.unified,
          variables: { input: { to, text: 'Hello', sender: 'ACME', reference } },
        })
      ).data?.sendMessage.messageId;
    await sendTo(somebody.number);
    await on.sql('update idempotency_keys set expires_at = now() where reference = $1', [reference]);
    const other = newPhone();
    const messageId = await sendTo(other);
    expect((await exported()).records.map(({ table }) => table)).not.toContain('idempotencyKeys');
    await erase();
    expect(await sendTo(other)).toBe(messageId);
  });

  test('leaves what is held of other people', async () => {
    const other = newSomebody();
    await putEverywhere(at, other, OPERATOR_TOKEN);
    await putEverywhere(at, somebody, OPERATOR_TOKEN);
    const before = await exported(other.number);
    await erase();
    expect(await exported(other.number)).toEqual(before);
  });

  test('keeps sums, ids, times and statuses', async () => {
    await putEverywhere(at, somebody, OPERATOR_TOKEN);
    const rows = () =>
      on.sql(
        `select (select json_agg(json_build_array(id, status, channel, segments, created_at) order by id) from messages where account_id = $1) as messages,
          (select json_agg(json_build_array(id, status, error_code, credits, started_at) order by id) from attempts where account_id = $1) as attempts,
          (select json_agg(json_build_array(id, kind, credits, held, attempt_id) order by id) from ledger where account_id = $1) as ledger,
          (select json_build_array(credits, held) from accounts where id = $1) as balance`,
        [toUuid(customer.accountId)],
      );
    const before = await rows();
    await erase();
    expect(await rows()).toEqual(before);
  });

  test('reaches what a worker has loaded to tell endpoints', async () => {
    const held: (() => void)[] = [];
    const receiver = await startReceiver((_request, response, nth) => {
      if (nth > 10) response.end();
      else held.push(() => response.end());
    });
    const elsewhere = await startReceiver();
    const t = { sql: on.sql, services: on.app.services };
    const { endpointId } = await makeEndpoint(t, customer.accountId, { url: receiver.url });
    await queueDeliveries(t, customer.accountId, endpointId, 10);
    await send();
    const { length: count } = await storedDeliveries(t, endpointId);
    expect(count).toBeGreaterThan(10);
    const worker = await startWebhooks(on.app.makeCtx(OPERATOR, 'test'));
    await receiver.hasReceived(10);
    expect((await erase()).errors).toBeNull();
    // A later announcement arrives: so the worker has heard of the erasure.
    const marker = await makeEndpoint(t, customer.accountId, { url: elsewhere.url });
    await queueDeliveries(t, customer.accountId, marker.endpointId, 1);
    await elsewhere.hasReceived(1);
    for (const answer of held) answer();
    await receiver.hasReceived(count);
    await worker.stop();
    expect(receiver.received.filter(({ body }) => body.includes(somebody.number))).toEqual([]);
    await receiver.close();
    await elsewhere.close();
  });

  test.each(['delivered', 'failed'] as const)('outlasts a late receipt: %s', async status => {
    await send();
    const wamid = `wamid.${Buffer.from(`\x1a\x05\x0b${somebody.number}\x15\x02`).toString('base64')}`;
    const [attempt] = await on.sql<{ id: string }>(
      `update attempts set status = 'unknown', provider_message_id = $2 where recipient = $1 returning id`,
      [somebody.number, wamid],
    );
    await erase();
    const errorMessage = status === 'failed' ? `No number: +${somebody.number}` : null;
    const late = { provider: 'sandbox', providerMessageId: wamid, status, errorCode: null, errorMessage };
    const results = await recordReceipts(on.app.makeCtx(OPERATOR, 'test'), [
      { ...late, attemptId: fromUuid('att', attempt?.id ?? '') },
    ]);
    expect(results).toEqual(['raised']);
    expect(await findWords(on, traces(somebody))).toEqual([]);
  });

  test('leaves an entry of the audit trail that names nobody', async () => {
    await putEverywhere(at, somebody, OPERATOR_TOKEN);
    await erase();
    const { data } = await on.graphql(
      `{ auditEntries(filter: { action: "recipient.erased" }) { nodes { actor subject requestId details } } }`,
      { token: customer.tokens.management },
    );
    const entry = {
      actor: 'TOKEN',
      subject: customer.accountId,
      requestId: 'erase-…',
      details: { rows: { messages: 2, otps: 1 } },
    };
    expect(data).toMatchObject({ auditEntries: { nodes: [entry] } });
  });

  test('changes nothing more when it is repeated', async () => {
    await putEverywhere(at, somebody, OPERATOR_TOKEN);
    await erase();
    const { data } = await erase();
    expect(data?.eraseRecipient).toMatchObject({ rows: {}, isSuppressed: true });
  });

  test('is open to the operator, who names the account', async () => {
    await send();
    const variables = { to: somebody.number, accountId: customer.accountId };
    const { data } = await on.graphql<Erased>(ERASE, { token: OPERATOR_TOKEN, variables });
    expect(data?.eraseRecipient.rows).toMatchObject({ messages: 1 });
    const unnamed = await on.graphql(ERASE, { token: OPERATOR_TOKEN, variables: { to: somebody.number } });
    expect(unnamed.errors).toMatchObject([{ extensions: { errors: [{ field: 'accountId' }] } }]);
  });

  test('is refused while a send to the recipient is under way, and changes nothing', async () => {
    await putEverywhere(at, somebody, OPERATOR_TOKEN);
    await on.sql(`update messages set lease_until = now() + interval '30 s' where recipient = $1`, [somebody.number]);
    const before = await exported();
    const { errors } = await erase();
    expect(errors).toMatchObject([{ extensions: { code: 'RECIPIENT_IN_FLIGHT', retryAfter: 5 } }]);
    expect(await exported()).toEqual(before);
    await on.sql('update messages set lease_until = null where recipient = $1', [somebody.number]);
    expect((await erase()).errors).toBeNull();
  });

  test('ends a fallback in time, and tells that without the recipient', async () => {
    const waits = createFollowUps(on);
    await waits.listen(customer);
    const input = { to: somebody.number, text: 'Hello', sender: 'ACME', chatFrom: '15550000001', fallbackAfter: 600 };
    const { data } = await on.graphql<{ sendMessage: { messageId: string } }>(SEND, {
      token: customer.tokens.unified,
      variables: { input },
    });
    const id = data?.sendMessage.messageId ?? '';
    expect(await waits.of(id)).toMatchObject({ is_taken: false });
    await erase();
    expect(await waits.of(id)).toBeNull();
    expect(await waits.eventsOf(id)).toEqual(['message.sent', 'message.routed']);
    const told = `select data::json->>'recipient' as recipient, data::json->>'status' as status from webhook_events
      where send_id = $1 and event = 'message.routed'`;
    expect(await on.sql(told, [toUuid(id)])).toEqual([{ recipient: '', status: 'sent' }]);
  });

  test('ends a passcode that was not used', async () => {
    const { data } = await on.graphql<{ sendOtp: { pinId: string } }>(
      `mutation ($input: SendOtpInput!) { sendOtp(input: $input) { pinId } }`,
      {
        token: customer.tokens.unified,
        variables: { input: { to: somebody.number, channels: ['SMS'], sender: 'ACME' } },
      },
    );
    const pin = await lastCode();
    await erase();
    const input = { pinId: data?.sendOtp.pinId, pin };
    const verify = `mutation ($input: VerifyOtpInput!) { verifyOtp(input: $input) { status } }`;
    const { errors } = await on.graphql(verify, { token: customer.tokens.unified, variables: { input } });
    expect(errors).toMatchObject([{ extensions: { code: 'OTP_EXPIRED' } }]);
  });

  test.each(['12', 'nobody', ''])('is refused for %j, which is no number', async to => {
    const { errors } = await on.graphql(ERASE, { token: customer.tokens.management, variables: { to } });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', errors: [{ field: 'to' }] } }]);
  });
});

/** The code on the phone. */
async function lastCode(): Promise<string> {
  const [row] = await on.sql<{ text: string }>('select text from sandbox_messages where recipient = $1', [
    somebody.number,
  ]);
  return /[0-9]{6}/.exec(row?.text ?? '')?.[0] ?? '';
}

describe('a stop of an erased recipient', () => {
  test('holds for sends, in this process and past its memory', async () => {
    await write('STOP');
    await erase();
    expect((await send()).errors).toMatchObject(SUPPRESSED);
    const forgetful = vi.spyOn(on.app.services.suppressed, 'has').mockReturnValue(false);
    expect((await send()).errors).toMatchObject(SUPPRESSED);
    forgetful.mockRestore();
  });

  test('shows in the list without the number', async () => {
    await write('STOP');
    await erase();
    const { data } = await on.graphql(`{ suppressions { nodes { to origin reason } } }`, {
      token: customer.tokens.management,
    });
    expect(data).toEqual({ suppressions: { nodes: [{ to: '', origin: 'RECIPIENT', reason: null }] } });
  });

  test('is taken off by START, which the recipient writes as anybody', async () => {
    await write('STOP');
    await erase();
    await write('START');
    expect((await send()).errors).toBeNull();
  });

  test('holds on when the recipient writes something else', async () => {
    await write('STOP');
    await erase();
    await write('Hello');
    expect((await send()).errors).toMatchObject(SUPPRESSED);
  });

  test('is taken off by the account', async () => {
    await write('STOP');
    await erase();
    const off = await on.graphql(`mutation ($to: String!) { unsuppress(to: $to) { to origin } }`, {
      token: customer.tokens.management,
      variables: { to: somebody.number },
    });
    expect(off.data).toEqual({ unsuppress: { to: somebody.number, origin: 'RECIPIENT' } });
    expect((await send()).errors).toBeNull();
  });

  test('is none where nobody had stopped', async () => {
    await send();
    expect((await erase()).data?.eraseRecipient.isSuppressed).toBe(false);
    expect((await send()).errors).toBeNull();
  });
});

/** The kinds of records that hold somebody who is everywhere. */
const KINDS = [
  ...['attempts', 'auditEntries', 'chatContacts', 'chatSessionKeys', 'followUps', 'handovers', 'idempotencyKeys'],
  ...['inboundMessages', 'inboundPartials', 'inboundSeen', 'ledger', 'messages', 'otpRecipients', 'otps', 'people'],
  ...['personAddresses', 'personNotes', 'sandboxMessages', 'sandboxOrders', 'suppressions', 'webhookDeliveries'],
  ...['webhookEvents', 'webhookTries'],
];

describe('exporting a recipient', () => {
  test('answers all that is held, and no secret', async () => {
    await putEverywhere(at, somebody, OPERATOR_TOKEN);
    const { addresses, records, nextCursor } = await exported();
    expect([...addresses].sort()).toEqual([somebody.number, somebody.userId].sort());
    expect(nextCursor).toBeNull();
    expect([...new Set(records.map(({ table }) => table))].sort()).toEqual([...KINDS].sort());
    expect(records.flatMap(({ row }) => Object.keys(row))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(nonce|codeMac|fingerprint|keyId|clientAddress)$/)]),
    );
    const message = records.find(({ table }) => table === 'messages');
    expect(message?.row).toMatchObject({ recipient: somebody.number, accountId: customer.accountId });
    expect(message?.row.id).toMatch(/^msg_[0-9a-f]{32}$/);
  });

  test('gives the same in small pages', async () => {
    await putEverywhere(at, somebody, OPERATOR_TOKEN);
    const whole = await exported();
    const records: unknown[] = [];
    for (let cursor: string | null = null, pages = 0; pages < 100; pages += 1) {
      const page = await exported(somebody.number, customer.tokens.management, { limit: 7, cursor });
      records.push(...page.records);
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    expect(records).toEqual(whole.records);
  });

  test('is empty for a number of which nothing is held', async () => {
    expect(await exported()).toMatchObject({ to: somebody.number, records: [], nextCursor: null });
  });

  test.each(['x', 'W10', 'WyJ1c2VycyIsIiJd', 'WyJvdHBzIiwiXHUwMDAwIl0'])(
    'is refused from %j, which is no cursor of it',
    async cursor => {
      const variables = { to: somebody.number, cursor };
      const { errors } = await on.graphql(EXPORT, { token: customer.tokens.management, variables });
      expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', errors: [{ field: 'cursor' }] } }]);
    },
  );
});
