import { expect, test } from 'vitest';
import { setUpApp } from '../../../support/fixtures.ts';

const on = setUpApp();

test.each([
  `/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`,
  `/v2/Services/VA${'0'.repeat(32)}/Verifications`,
  '/2fa/2/pin',
  '/hooks/supabase/send-sms',
])('a door that no setting opens is not there: %s', async path => {
  const { status, body } = await on.rest('POST', path, { body: {} });
  expect([status, body.code]).toEqual([404, 'not_found']);
});
