import { describe, expect, test } from 'vitest';
import { newId } from '../../../../src/kernel/ids.ts';
import { followWebhookTries } from '../../../../src/modules/webhooks/feeds/follow-tries.ts';
import { makeAccount } from '../../../support/services.ts';
import { setUpFollowing, take } from '../../../support/webhooks/feed-fixture.ts';
import { makeEndpoint } from '../../../support/webhooks/stored-webhooks.ts';

const { account, addTries, ctxOf, makeTry, on } = setUpFollowing();

describe('following the tries of webhooks', () => {
  test('shows each try of the account, in order', async () => {
    const other = await makeAccount(on);
    const tries = await followWebhookTries(ctxOf(await account.holder('management')));
    const added = Array.from({ length: 250 }, () => makeTry(newId('whk')));
    await addTries(makeTry(newId('whk'), other.accountId), ...added);
    expect((await take(tries, added.length)).map(({ id }) => id)).toEqual(added.map(({ id }) => id));
  });

  test('shows those of one endpoint only', async () => {
    const { endpointId } = await makeEndpoint(on, account.accountId);
    const tries = await followWebhookTries(ctxOf(await account.holder('management')), { endpointId });
    const wanted = makeTry(endpointId);
    await addTries(makeTry(newId('whk')), wanted);
    expect(await take(tries, 1)).toMatchObject([{ id: wanted.id, httpStatus: 200, durationMs: 5, response: 'ok' }]);
  });

  test('answers another account’s endpoint, a missing one and what is no id alike', async () => {
    const { endpointId } = await makeEndpoint(on, (await makeAccount(on)).accountId);
    for (const named of [endpointId, newId('whk'), 'whk_1', ''])
      await expect(followWebhookTries(ctxOf(account.actor('management')), { endpointId: named })).rejects.toMatchObject(
        { code: 'not_found' },
      );
  });

  test('is refused while the unified API is off, before the endpoint is looked for', async () => {
    const closed = await makeAccount(on, { unifiedApi: false });
    await expect(followWebhookTries(ctxOf(closed.actor('management')), { endpointId: 'whk_1' })).rejects.toMatchObject({
      code: 'unified_api_disabled',
    });
  });

  test('is refused to a token of another area', async () => {
    await expect(followWebhookTries(ctxOf(account.actor('unified')))).rejects.toMatchObject({ code: 'wrong_area' });
  });
});
