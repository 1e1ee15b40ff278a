import { beforeEach, expect, test } from 'vitest';
import type { Ctx } from '../../../src/context.ts';
import { ensureDemo, moveDemo } from '../../../src/modules/demo/seed-demo.ts';
import { setUpServices } from '../../support/fixtures.ts';

const on = setUpServices();

beforeEach(async () => {
  await on.sql('truncate accounts cascade');
  on.services.home.writeDemo({});
});

function operatorCtx(): Ctx {
  return on.ctxFor({ kind: 'operator', account: null });
}

test('where demo.json cannot be written no account is made that nobody could open, and the next time makes it, once', async () => {
  const ctx = operatorCtx();
  const home = {
    ...ctx.services.home,
    writeDemo: () => {
      throw new Error('the disk is full');
    },
  };
  await expect(ensureDemo(ctx.with({ services: { ...ctx.services, home } }))).rejects.toThrow('the disk is full');
  expect(await on.sql('select id from accounts')).toEqual([]);

  const made = await ensureDemo(operatorCtx());
  expect(await ensureDemo(operatorCtx())).toEqual(made);
  expect(await on.sql('select credits from accounts')).toEqual([{ credits: 1_000 }]);
});

test('where several ask at once it is made once, and all of them are told the same', async () => {
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => ensureDemo(operatorCtx())));
  for (const other of others) expect(other).toEqual(first);
  expect(await on.sql('select name from accounts')).toEqual([{ name: 'demo' }]);
  expect(on.services.home.readDemo()).toEqual(first);
});

/** The settings and the template that OTPs need of the demo account. */
function otpColumns(): Promise<unknown[]> {
  return on.sql(
    `select a.otp_settings as settings, s.otp_template as template
     from accounts a join senders s on s.account_id = a.id and s.channel = 'chat_cloud'`,
  );
}

const PREPARED = [
  { settings: { countries: ['*'], fraudMode: 'observe' }, template: { name: 'otp_code', language: 'en_US' } },
];

test('its passcodes go to every country, and its cloud number has a template for them', async () => {
  await ensureDemo(operatorCtx());
  expect(await otpColumns()).toEqual(PREPARED);
});

test.each(['is kept', 'is lost'])(
  'a demo account of an older release gets the same, where demo.json %s',
  async file => {
    await ensureDemo(operatorCtx());
    await on.sql('update accounts set otp_settings = null');
    await on.sql('update senders set otp_template = null');
    if (file === 'is lost') on.services.home.writeDemo({});
    await ensureDemo(operatorCtx());
    expect(await otpColumns()).toEqual(PREPARED);
  },
);

test('what was set of its passcodes since stays', async () => {
  await ensureDemo(operatorCtx());
  await on.sql(`update accounts set otp_settings = '{"sendsPerDay": 1}'`);
  await on.sql(`update senders set otp_template = '{"name": "other", "language": "de"}' where channel = 'chat_cloud'`);
  await ensureDemo(operatorCtx());
  expect(await otpColumns()).toEqual([{ settings: { sendsPerDay: 1 }, template: { name: 'other', language: 'de' } }]);
});

test('demo.json follows the gateway to another address, and keeps the rest', async () => {
  const made = await ensureDemo(operatorCtx());
  const home = { ...on.services.home, url: () => 'http://127.0.0.1:4001' };
  moveDemo(home);
  expect(home.readDemo()).toEqual({ ...made, url: 'http://127.0.0.1:4001' });
});

test('a folder without demo.json stays without it', () => {
  const written: object[] = [];
  moveDemo({
    url: () => 'http://127.0.0.1:4001',
    publicUrl: () => 'http://127.0.0.1:4000',
    readDemo: () => null,
    writeDemo: content => written.push(content),
  });
  expect(written).toEqual([]);
});
