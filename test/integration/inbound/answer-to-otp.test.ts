import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { type Customer, createTestApp, type TestApp } from '../../support/app.ts';
import { findInDatabase, type Read, readSecrets, TOLD, Told } from '../../support/leaks/leak-scan.ts';

const PHONE = '+12025550143';

describe('what a person answers to the text of a passcode', () => {
  let t: TestApp;
  let customer: Customer;
  let pinId: string;
  let code: string;
  const told = new Told();
  const read: Read = sql => t.sql(sql);

  beforeAll(async () => {
    t = await createTestApp({ log: told.logger() });
    customer = await t.customer();
    const { body } = await t.rest('POST', '/api/sms/otp/send', { token: customer.tokens.otp, body: { to: PHONE } });
    pinId = String(body.data?.pinId);
    const [arrived] = await t.sql<{ text: string }>('select text from sandbox_messages');
    code = /[0-9]{6}/.exec(arrived?.text ?? '')?.[0] ?? '';
    for (const text of [code, `My code is ${code}.`]) {
      const query =
        'mutation ($phone: String!, $text: String!) { sandboxReply(input: { phone: $phone, to: "ACME", text: $text }) { id } }';
      await t.graphql(query, { token: customer.tokens.unified, variables: { phone: PHONE, text } });
    }
  });
  afterAll(() => t.close());

  test('is a message that came in like any other, and answers none of the account', async () => {
    expect(await t.sql('select type, channel, text, reply_to from inbound_messages order by id')).toEqual([
      { type: 'text', channel: 'sms', text: code, reply_to: null },
      { type: 'text', channel: 'sms', text: `My code is ${code}.`, reply_to: null },
    ]);
  });

  test('verifies nothing, and uses no try', async () => {
    expect(await t.sql('select status, attempts from otps where id = $1', [toUuid(pinId)])).toEqual([
      { status: 'sent', attempts: 0 },
    ]);
    expect(await t.sql(`select count(*)::int as n from attempts where type <> 'otp_attempt'`)).toEqual([{ n: 2 }]);
  });

  test('shows no code in the log, nor in anything else that is stored', async () => {
    const query = `{ logs(filter: { recipient: "${PHONE}" }) { nodes { type status recipient sender errorMessage } } }`;
    const { data } = await t.graphql<{ logs: { nodes: object[] } }>(query, { token: customer.tokens.management });
    const entry = { type: 'INBOUND', status: 'RECEIVED', recipient: '12025550143', sender: 'ACME', errorMessage: null };
    expect(data?.logs.nodes).toEqual([entry, entry, expect.objectContaining({ type: 'OTP_ATTEMPT' })]);
    const secrets = await readSecrets(read);
    expect(secrets.codes).toEqual(new Set([code]));
    expect(await findInDatabase(read, secrets)).toEqual([]);
    expect(TOLD.find(secrets)).toEqual([]);
  });

  test('is in no line of the log of the process, at the level trace', async () => {
    expect(told.find(await readSecrets(read))).toEqual([]);
    expect(told.find({ codes: new Set(), lines: new Set(['My code is']) })).toEqual([]);
    expect(told.find({ codes: new Set(), lines: new Set(['a passcode was routed']) })).not.toEqual([]);
  });

  test.each(['otp', 'sms'] as const)('is not seen by a token of the area %s', async area => {
    const token = customer.tokens[area];
    const { errors } = await t.graphql('{ inboundMessages { nodes { id } } }', { token });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['WRONG_AREA']);
    const { data } = await t.graphql<{ logs: { nodes: { type: string }[] } }>('{ logs { nodes { type } } }', { token });
    expect(data?.logs.nodes).toEqual(area === 'otp' ? [{ type: 'OTP_ATTEMPT' }] : []);
    if (area !== 'otp') return;
    const { body } = await t.rest('GET', '/api/sms/otp/logs', { token });
    expect(JSON.stringify(body)).not.toMatch(/inbound|received/i);
  });
});
