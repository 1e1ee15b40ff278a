/** One person in every table: what an account and its gateway come to hold of somebody. */
import { UUID7 } from '../../../src/db/statements/uuid7.sql.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import type { Customer, TestApp } from '../app.ts';

/** Somebody who is everywhere. */
export interface Somebody {
  /** Digits only. */
  readonly number: string;
  /** A LID. */
  readonly userId: string;
  /** A word that stands in every text to, by and about the person. */
  readonly word: string;
}

interface On {
  readonly on: TestApp;
  readonly customer: Customer;
}

/** Asks as a token, and refuses a refusal. */
async function ask<Data>(
  { on }: On,
  token: string,
  document: string,
  variables: object = {},
  requestId?: string,
): Promise<Data> {
  const headers = requestId === undefined ? {} : { 'x-request-id': requestId };
  const { data, errors } = await on.graphql<Data>(document, { token, variables: { ...variables }, headers });
  if (!data || errors) throw new Error(JSON.stringify(errors));
  return data;
}

const ENDPOINT = `mutation { createWebhookEndpoint(input: { url: "https://hooks.example.com/all", events: [
  "message.sent", "message.failed", "message.routed", "message.received", "sms.sent", "sms.failed", "otp.sent", "otp.failed",
  "otp.verified", "recipient.suppressed", "recipient.unsuppressed"] }) { endpoint { endpointId } } }`;

const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messageId } }`;
const NOTE = `mutation ($input: AddNoteInput!) { addNote(input: $input) { id } }`;
const REPLY = `mutation ($input: SandboxReplyInput!) { sandboxReply(input: $input) { messageId } }`;
const OTP = `mutation ($input: SendOtpInput!) { sendOtp(input: $input) { pinId } }`;
const VERIFY = `mutation ($input: VerifyOtpInput!) { verifyOtp(input: $input) { status } }`;

/** Does with a person all that leaves something behind, by the API where it can. Afterwards the person has stopped messages. */
export async function putEverywhere(at: On, { number, userId, word }: Somebody, operator: string): Promise<void> {
  const { on, customer } = at;
  const { unified, management } = customer.tokens;
  const to = `+${number}`;
  await ask(at, management, ENDPOINT);
  const text = `Hello ${word}`;
  const reference = `order-${number}`;
  const template = {
    name: 'hello',
    language: 'en_US',
    components: [{ type: 'body', parameters: [{ type: 'text', text }] }],
  };
  const all = { deliveryMode: 'ALL', chatFrom: '15550000001', sender: 'ACME', cloudTemplate: template };
  await ask(at, unified, SEND, { input: { to, text, reference, ...all } });
  await ask(at, unified, SEND, { input: { to, text, sender: 'ACME', chatFrom: '15550000001', fallbackAfter: 600 } });
  const otp = { to, channels: ['SMS'], sender: 'ACME', template: `${word}: {{code}}` };
  const { sendOtp } = await ask<{ sendOtp: { pinId: string } }>(at, unified, OTP, { input: otp });
  await on.graphql(VERIFY, { token: unified, variables: { input: { pinId: sendOtp.pinId, pin: '000000' } } });
  await ask(at, management, NOTE, { input: { to, text: `Likes ${word}` } });
  await ask(at, unified, REPLY, { input: { phone: to, to: 'ACME', text: `I am ${word}` } });
  await ask(at, unified, REPLY, { input: { phone: to, to: 'ACME', text: 'STOP' } });
  const reason = `For ${number}`;
  const credits = { accountId: customer.accountId, credits: 5, reason, reference: `refund-${number}` };
  const adjust = `mutation ($input: AdjustBalanceInput!) { adjustBalance(input: $input) { credits } }`;
  await ask(at, operator, adjust, { input: credits }, `refund-${number}`);
  await putByHand(at, { number, userId, word });
}

/** Stores the rows that only providers, endpoints and linked numbers leave behind. */
async function putByHand({ on, customer }: On, { number, userId, word }: Somebody): Promise<void> {
  const account = toUuid(customer.accountId);
  const connection = toUuid(newId('con'));
  const wamid = `wamid.${Buffer.from(`\x1a\x05\x0b${number}\x15\x02`).toString('base64')}`;
  const run = (text: string, ...parameters: unknown[]) => on.sql(text, parameters);
  await run(
    `insert into connections (id, account_id, provider, channel, name, config, config_key_id, priority, weight, is_paused, health, created_at, updated_at)
    values ($1, $2, 'chat-qr', 'chat_qr', 'Chat', '', '', 100, 1, true, 'unknown', now(), now())`,
    connection,
    account,
  );
  await run(
    `insert into person_addresses (account_id, value, kind, person_id, channel, learned_at)
    select account_id, $2, 'user_id', person_id, 'chat_qr', now() from person_addresses where account_id = $1 and value = $3`,
    account,
    userId,
    number,
  );
  await run(
    `insert into inbound_messages (id, account_id, connection_id, channel, type, from_user_id, username, to_address, text, received_at)
    values (${UUID7}, $1, $2, 'chat_qr', 'text', $3, $4, '15550000001', $4, now())`,
    account,
    connection,
    userId,
    word,
  );
  await run(
    `insert into inbound_seen (connection_id, provider_message_id, seen_at) values ($1, $2, now())`,
    connection,
    wamid,
  );
  const head = JSON.stringify({
    account_id: account,
    from_number: number,
    from_user_id: null,
    to_address: 'ACME',
    username: word,
  });
  await run(
    `insert into inbound_partials (connection_id, key, head, total, parts, due_at) values ($1, $2, $3, 2, $4, now())`,
    connection,
    JSON.stringify([number, 'ACME', '7', 2]),
    head,
    JSON.stringify({ 1: word }),
  );
  for (const person of [number, userId])
    await run(
      'insert into chat_contacts (connection_id, person, first_at, last_at) values ($1, $2, now(), now())',
      connection,
      person,
    );
  const lid = userId.replace('@lid', '');
  const keys = { session: [`${number}.0`, `${lid}_1.0`], 'lid-mapping': [number, `${lid}_reverse`] };
  for (const [kind, ids] of Object.entries(keys))
    for (const id of ids)
      await run(
        `insert into chat_session_keys (connection_id, kind, id, value, key_id) values ($1, $2, $3, 'sealed', '')`,
        connection,
        kind,
        id,
      );
  await run(
    `insert into handovers (attempt_id, connection_id, test, deadline_at) values (gen_random_uuid(), $1, $2, now())`,
    connection,
    JSON.stringify({ to: number, text: word }),
  );
  await run(
    `insert into sandbox_orders (id, account_id, recipient, delay_seconds, created_at) values (gen_random_uuid(), $1, $2, 1, now())`,
    account,
    number,
  );
  await run(
    `update attempts set provider_message_id = $2, error_code = 'twilio_21211', error_message = 'No number: +' || recipient || ' ' || $3
    where account_id = $1 and recipient = $4 and channel = 'chat_cloud' and type = 'message_attempt'`,
    account,
    wamid,
    word,
    number,
  );
  // As the trail was written before it left numbers out.
  await run(
    `insert into audit_entries (account_id, action, subject, actor, client_address, request_id, details, id, created_at)
    values ($1, 'account.updated', null, 'operator', '127.0.0.1', $2, '{}', ${UUID7}, now())`,
    account,
    `order-${number}`,
  );
  await run(
    `insert into webhook_tries (id, account_id, endpoint_id, delivery_id, number, http_status, duration_ms, response, created_at)
    select ${UUID7}, d.account_id, d.endpoint_id, d.id, 1, 200, 1, e.data, now() from webhook_deliveries d join webhook_events e on e.id = d.event_id
    where d.account_id = $1`,
    account,
  );
}
