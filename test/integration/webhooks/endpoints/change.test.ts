import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import {
  enableWebhookEndpoint,
  getWebhookEndpoint,
} from '../../../../src/modules/webhooks/endpoints/manage-endpoints.ts';
import { CHANGED, RENEWED } from '../../../../src/modules/webhooks/events/announce-webhooks.ts';
import { refusal } from '../../../support/refusal.ts';
import { HOSTILE, setUpManaging, URL_ONE } from '../../../support/webhooks/endpoint-fixture.ts';
import { makeEndpoint, queueDeliveries, storedDeliveries } from '../../../support/webhooks/stored-webhooks.ts';

const { account, manage, on, set, stored, update, wokenBy } = setUpManaging();

/** Another URL than that of the endpoint. */
const URL_TWO = 'https://8.8.4.4/hooks';

/** The columns of an endpoint that fails, to be `set`. */
const FAILING = `failing_since = now() - interval '1 hour', failures = 12, circuit_open_until = now() + interval '20 seconds'`;
/** The columns of one that was disabled since it failed, to be `set`. */
const DISABLED = `status = 'disabled', disabled_reason = 'failing', disabled_at = now(), ${FAILING}`;
/** The row of one without failures. */
const CLEAN = { failing_since: null, failures: 0, circuit_open_until: null };

describe('changing an endpoint', () => {
  let endpointId: string;
  beforeEach(async () => {
    ({ endpointId } = await makeEndpoint(on, account.accountId, { url: URL_ONE, events: ['message.sent'] }));
    await set(endpointId, `description = 'Orders', updated_at = now() - interval '1 day'`);
  });

  test('leaves what is not given', async () => {
    const { secret, ...before } = (await stored(endpointId)) ?? {};
    await update(endpointId, { events: ['otp.sent', 'otp.failed'] });
    expect(await stored(endpointId)).toEqual({
      ...before,
      secret,
      events: ['otp.sent', 'otp.failed'],
      updated_at: expect.anything(),
    });
  });

  test('leaves URL, events and pause where they are null, and takes the description away', async () => {
    const changed = await update(endpointId, { url: null, events: null, description: null, paused: null });
    expect(changed).toMatchObject({ url: URL_ONE, events: ['message.sent'], description: null, status: 'enabled' });
  });

  test('tells when', async () => {
    expect((await update(endpointId, { description: 'New' })).updatedAt).toEqual(on.clock.now());
  });

  test('a new URL starts without the failures of the old one', async () => {
    await set(endpointId, FAILING);
    await update(endpointId, { url: URL_TWO });
    expect(await stored(endpointId)).toMatchObject({ url: URL_TWO, ...CLEAN });
  });

  test('the same URL keeps its failures', async () => {
    await set(endpointId, FAILING);
    await update(endpointId, { url: URL_ONE });
    expect(await stored(endpointId)).toMatchObject({ failures: 12, circuit_open_until: expect.anything() });
  });

  test('does not enable one that is disabled by a new URL', async () => {
    await set(endpointId, DISABLED);
    expect(await update(endpointId, { url: URL_TWO })).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
  });

  test.each(HOSTILE)('refuses the URL %s, and changes nothing', async url => {
    await expect(update(endpointId, { url, description: 'New' })).rejects.toEqual(refusal('invalid_input', 'url'));
    expect(await stored(endpointId)).toMatchObject({ url: URL_ONE, description: 'Orders' });
  });

  test('pauses and resumes', async () => {
    expect((await update(endpointId, { paused: true })).status).toBe('paused');
    expect((await update(endpointId, { paused: true })).status).toBe('paused');
    expect((await update(endpointId, { paused: false })).status).toBe('enabled');
  });

  test('one that is resumed has no failures: the time that it was paused is no time of failures', async () => {
    await set(endpointId, `status = 'paused', ${FAILING}`);
    await update(endpointId, { paused: false });
    expect(await stored(endpointId)).toMatchObject({ status: 'enabled', ...CLEAN });
  });

  test('one that is not paused keeps its failures where it is resumed', async () => {
    await set(endpointId, FAILING);
    await update(endpointId, { paused: false });
    const failing = { status: 'enabled', failures: 12, failing_since: expect.anything() };
    expect(await stored(endpointId)).toMatchObject({ ...failing, circuit_open_until: expect.anything() });
  });

  test.each([true, false])('refuses paused: %j of one that is disabled, and changes nothing', async paused => {
    await set(endpointId, DISABLED);
    const before = await stored(endpointId);
    await expect(update(endpointId, { description: 'New', paused })).rejects.toEqual(
      refusal('invalid_input', 'paused'),
    );
    expect(await stored(endpointId)).toEqual(before);
  });

  test('leaves pending deliveries to wait', async () => {
    await queueDeliveries(on, account.accountId, endpointId, 2);
    await update(endpointId, { paused: true });
    expect((await storedDeliveries(on, endpointId)).map(({ status }) => status)).toEqual(['pending', 'pending']);
  });

  test('wakes its worker, in the transaction', async () => {
    expect(await wokenBy(() => update(endpointId, { paused: true }))).toEqual([CHANGED + toUuid(endpointId)]);
    expect(await wokenBy(() => update(endpointId, { url: 'http://10.0.0.1/' }).catch(() => undefined))).toEqual([]);
  });

  test('keeps what a worker wrote since this request read it', async () => {
    const ctx = manage();
    await getWebhookEndpoint(ctx, endpointId);
    await set(endpointId, DISABLED);
    await expect(update(endpointId, { paused: true }, ctx)).rejects.toEqual(refusal('invalid_input', 'paused'));
  });
});

describe('enabling an endpoint', () => {
  let endpointId: string;
  beforeEach(async () => {
    ({ endpointId } = await makeEndpoint(on, account.accountId));
  });

  test('gives one that was disabled a clean slate', async () => {
    await set(endpointId, DISABLED);
    await enableWebhookEndpoint(manage(), endpointId);
    const clean = { ...CLEAN, status: 'enabled', disabled_reason: null, disabled_at: null };
    expect(await stored(endpointId)).toMatchObject(clean);
  });

  test('resumes one that is paused, without the failures from before the pause', async () => {
    await set(endpointId, `status = 'paused', ${FAILING}`);
    await enableWebhookEndpoint(manage(), endpointId);
    expect(await stored(endpointId)).toMatchObject({ status: 'enabled', ...CLEAN });
  });

  test('keeps the failures of one that is enabled', async () => {
    await set(endpointId, FAILING);
    await enableWebhookEndpoint(manage(), endpointId);
    expect(await stored(endpointId)).toMatchObject({ failures: 12 });
  });

  test('wakes its worker', async () => {
    await set(endpointId, DISABLED);
    expect(await wokenBy(() => enableWebhookEndpoint(manage(), endpointId))).toEqual([RENEWED + toUuid(endpointId)]);
  });
});
