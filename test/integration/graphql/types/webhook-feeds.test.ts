import { parse, subscribe } from 'graphql';
import { describe, expect, test } from 'vitest';
import { closeFeeds } from '../../../../src/db/feeds/feed.ts';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { WebhookTry } from '../../../../src/modules/webhooks/deliveries/webhook-try.entity.ts';
import { TRY_CHANNEL } from '../../../../src/modules/webhooks/events/announce-webhooks.ts';
import { setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

async function follow(query: string, token = customer.tokens.management, variables: Record<string, unknown> = {}) {
  const { app } = on;
  const contextValue = app.makeCtx(await app.authenticator.authenticate(`Bearer ${token}`, undefined), 'test');
  return subscribe({ schema: app.schema, document: parse(query), variableValues: variables, contextValue });
}

/** The first event of the stream after `act`. */
async function firstOf(query: string, variables: Record<string, unknown>, act: () => Promise<unknown>) {
  const stream = await follow(query, customer.tokens.management, variables);
  if (!(Symbol.asyncIterator in stream)) throw new Error(`refused: ${JSON.stringify(stream.errors)}`);
  await act();
  const { done, value } = await stream.next();
  await stream.return(undefined);
  return done ? null : value;
}

async function refusalOf(query: string, token?: string): Promise<unknown> {
  const stream = await follow(query, token);
  if (Symbol.asyncIterator in stream) throw new Error('not refused');
  const [error] = stream.errors ?? [];
  const original = error?.originalError;
  return original && 'code' in original ? original.code : error?.message;
}

const send = () => on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body: SMS });

describe('webhookEventAdded', () => {
  const EVENTS = `subscription ($events: [WebhookEventName!]) {
    webhookEventAdded(events: $events) { id eventId event createdAt accountId body }
  }`;

  test('shows an event with the very body that is delivered', async () => {
    const sent = Promise.withResolvers<unknown>();
    const result = await firstOf(EVENTS, { events: ['sms.sent'] }, async () =>
      sent.resolve((await send()).body.data?.messageId),
    );
    const event = result?.data?.webhookEventAdded as Record<string, string>;
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      eventId: event.id,
      event: 'sms.sent',
      createdAt: expect.any(Date),
      accountId: customer.accountId,
      body: expect.any(String),
    });
    const body = JSON.parse(event.body ?? '') as { createdAt: string };
    expect(body).toEqual({
      id: event.id,
      event: 'sms.sent',
      createdAt: expect.stringMatching(/\.\d{6}Z$/),
      accountId: customer.accountId,
      data: expect.objectContaining({ messageId: await sent.promise, recipient: '12025550100', status: 'sent' }),
    });
    expect(new Date(body.createdAt)).toEqual(event.createdAt);
  });

  test('takes the names of events as enums write them', async () => {
    const result = await firstOf(EVENTS, { events: ['MESSAGE_SENT'] }, send);
    expect(result).toMatchObject({ data: { webhookEventAdded: { event: 'message.sent' } } });
  });

  test('refuses an event that there is not, and a list of none', async () => {
    expect(await refusalOf('subscription { webhookEventAdded(events: ["sms.gone"]) { id } }')).toContain(
      'must be one of message.sent',
    );
    expect(await refusalOf('subscription { webhookEventAdded(events: []) { id } }')).toBe('invalid_input');
  });

  test('is refused while the unified API is off, before its input is looked at', async () => {
    const closed = await on.customer({ unifiedApi: false });
    const query = 'subscription { webhookEventAdded(events: []) { id } }';
    expect(await refusalOf(query, closed.tokens.management)).toBe('unified_api_disabled');
  });

  test('ends without an error when the gateway stops', async () => {
    const stream = await follow(EVENTS);
    if (!(Symbol.asyncIterator in stream)) throw new Error('refused');
    await closeFeeds(on.app.services.database);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});

describe('webhookTryAdded', () => {
  const TRIES =
    'subscription ($endpointId: String) { webhookTryAdded(endpointId: $endpointId) { id endpointId httpStatus } }';

  test('shows a try of the account', async () => {
    const [id, endpointId] = [newId('try'), newId('whk')];
    const add = async () => {
      const made = {
        id,
        endpointId,
        accountId: customer.accountId,
        deliveryId: newId('dlv'),
        number: 1,
        httpStatus: 500,
        durationMs: 7,
        error: 'bad_status',
        errorMessage: 'It answered 500.',
        response: '',
        createdAt: new Date(),
      };
      const em = on.app.services.database.fork();
      em.persist(Object.assign(new WebhookTry(), made));
      await em.flush();
      await on.sql('select pg_notify($1, $2)', [TRY_CHANNEL, toUuid(id)]);
    };
    expect(await firstOf(TRIES, {}, add)).toEqual({ data: { webhookTryAdded: { id, endpointId, httpStatus: 500 } } });
  });

  test('answers an endpoint that is not the account’s as a missing one', async () => {
    expect(await refusalOf(`subscription { webhookTryAdded(endpointId: "${newId('whk')}") { id } }`)).toBe('not_found');
  });
});
