import { expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { eraseRecipient } from '../../../src/modules/recipients/erase-recipient.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { besideLocks, lockOf } from '../../support/databases/lock-order.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { makePin, storedPin } from '../../support/otp/pins.ts';
import { OPERATOR } from '../../support/services.ts';

const t = setUpServices();
const account = setUpAccount(t);

describePostgres('a passcode that is sent again', () => {
  test('waits for no erasure of its recipient that waits for it', async () => {
    const { accountId } = account;
    const { pinId, recipient: to } = await makePin(t.sql, { accountId });
    await besideLocks(
      t,
      lockOf('otp_recipients', 'account_id = $1 and recipient = $2', [toUuid(accountId), to]),
      () => eraseRecipient(t.ctxFor(OPERATOR), { to: `+${to}`, accountId }),
      lockOf('otps', 'id = $1', [toUuid(pinId)]),
    );
    expect(await storedPin(t.sql, pinId)).toMatchObject({ status: 'cancelled' });
  });
});
