/** Services, an account for each test, and its webhook endpoints as their holder manages them. */

import { beforeEach } from 'vitest';
import type { Ctx } from '../../../src/context.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { createEndpointInput, updateEndpointInput } from '../../../src/modules/webhooks/endpoints/endpoint.input.ts';
import {
  createWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../../src/modules/webhooks/endpoints/manage-endpoints.ts';
import type { WebhookEndpoint } from '../../../src/modules/webhooks/endpoints/webhook-endpoint.entity.ts';
import { WEBHOOK_CHANNEL } from '../../../src/modules/webhooks/events/announce-webhooks.ts';
import { holdLatest, setUpServices, setUpSharedAccount } from '../fixtures.ts';
import { makeAccount, type TestAccount, type TestServices } from '../services.ts';

/** An address that an endpoint may have. */
export const URL_ONE = 'https://8.8.8.8/hooks';
/** The form of a secret. */
export const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

/** Addresses that a customer must not reach through the gateway. The tests themselves may reach this machine. */
export const HOSTILE = [
  'http://10.0.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://100.100.100.200/',
  'http://0/',
  'http://2852039166/',
  'https://[fd00:ec2::254]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[fe80::1]/',
  'ftp://8.8.8.8/',
  'file:///etc/passwd',
  'gopher://8.8.8.8/',
  'javascript:alert(1)',
  'https://user:word@8.8.8.8/',
  'https://8.8.8.8:25/',
  'https://8.8.8.8:5432/',
];

/** The row of an endpoint. */
interface StoredEndpoint {
  readonly [column: string]: unknown;
}

/** Makes all of it for the tests of the file that calls this. */
export function setUpManaging() {
  const on = setUpServices();
  const latest = holdLatest<TestAccount>();
  beforeEach(async () => latest.set(await makeAccount(on)));
  const account = latest.it;
  const manage = (of: TestAccount = account): Ctx => on.ctxFor(of.actor('management'));
  return {
    on,
    account,
    /** An account that the tests of the file share, and that is not theirs. */
    other: setUpSharedAccount(on),
    /** Lets another account be the one of the test. */
    actFor: latest.set,
    /** A context of a management token. */
    manage,
    /** Creates an endpoint at `URL_ONE` for `message.sent`, unless told otherwise. */
    create: (input: object = {}, ctx = manage()) =>
      createWebhookEndpoint(ctx, createEndpointInput.parse({ url: URL_ONE, events: ['message.sent'], ...input })),
    /** Changes what is given of an endpoint. */
    update: (endpointId: string, input: object, ctx = manage()): Promise<WebhookEndpoint> =>
      updateWebhookEndpoint(ctx, updateEndpointInput.parse({ endpointId, ...input })),
    /** The row of an endpoint; undefined: there is none. */
    async stored(endpointId: string): Promise<StoredEndpoint | undefined> {
      const [row] = await on.sql<StoredEndpoint>('select * from webhook_endpoints where id = $1', [toUuid(endpointId)]);
      return row;
    },
    /** Writes what a worker would have written. */
    async set(endpointId: string, columns: string): Promise<void> {
      await on.sql(`update webhook_endpoints set ${columns} where id = $1`, [toUuid(endpointId)]);
    },
    /** The endpoints that workers were woken for while something ran. */
    wokenBy: (run: () => Promise<unknown>) => wokenBy(on, run),
  };
}

async function wokenBy(
  { database, sql }: Pick<TestServices, 'database' | 'sql'>,
  run: () => Promise<unknown>,
): Promise<string[]> {
  const heard: string[] = [];
  const END = 'the end';
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = await database.listen(
    WEBHOOK_CHANNEL,
    payload => (payload === END ? resolve() : void heard.push(payload)),
    () => undefined,
  );
  await run();
  // Notifications come in the order of their commits.
  await sql('select pg_notify($1, $2)', [WEBHOOK_CHANNEL, END]);
  await promise;
  await stop();
  return heard;
}
