import pLimit from 'p-limit';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Provider } from '../../../../src/channels/contract.ts';
import { httpSms } from '../../../../src/channels/http-sms/provider.ts';
import { encodeText } from '../../../../src/channels/smpp/text.ts';
import { oncePerFile } from '../../../support/fixtures.ts';
import { KANNEL_USER, startKannel } from '../../../support/kannel/kannel.ts';
import { gatewayConfig } from '../../../support/providers/gateway-peer.ts';
import { farDeadline, requestTo, SERVICES } from '../../../support/providers/http-peer.ts';
import { missing, type SubmitLine, startPerlSmsc } from '../../../support/smpp/programs.ts';

const absent = missing(['libnet-smpp-perl', 'kannel']);

/** The last digit 9: the SMSC sends no receipts. */
const TO = '4917012349';

/** The `submit_sm` that Kannel has to send for a text. */
function submitOf(text: string) {
  const { dataCoding, bytes } = encodeText(text);
  return { source: 'ACME', destination: TO, dataCoding, message: bytes };
}

const byMessage = (one: Pick<SubmitLine, 'message'>, other: Pick<SubmitLine, 'message'>) =>
  one.message.compare(other.message);

describe.skipIf(absent !== null)('the config of the contract, with Kannel', () => {
  const smsc = oncePerFile(
    () => startPerlSmsc(),
    peer => peer[Symbol.asyncDispose](),
  );
  const kannel = oncePerFile(
    () => startKannel({ port: smsc.port, user: 'gateway', password: 'secret' }),
    peer => peer[Symbol.asyncDispose](),
  );
  let seen = 0;

  /** Waits for so many further submits. */
  async function arrivals(count: number): Promise<SubmitLine[]> {
    const further = (await smsc.submitted(seen + count)).slice(seen);
    seen += further.length;
    return further;
  }

  function create(password: string = KANNEL_USER.password): Provider {
    const config = gatewayConfig(new URL(kannel.sendsmsUrl).origin, password);
    const provider = httpSms.create(httpSms.configSchema.parse(config), SERVICES);
    onTestFinished(() => provider.close?.());
    return provider;
  }

  test.each(['Hi there', 'Your code is 314159 & 100 % + more = done?', 'Grüße @ £ Ω'])(
    'a message is accepted and arrives: %s',
    async text => {
      const request = requestTo(TO, { attemptId: 'att_1', text });
      expect(await create().send(request, farDeadline())).toEqual({ kind: 'accepted', providerMessageId: 'att_1' });
      expect(await arrivals(1)).toMatchObject([submitOf(text)]);
    },
  );

  test('a wrong password is the fault of the connection', async () => {
    expect(await create('wrong').send(requestTo(TO), farDeadline())).toEqual({
      kind: 'rejected',
      code: 'http_403',
      message: 'Authorization failed for sendsms',
      isOwn: true,
    });
  });

  test('a number that is none is refused for good', async () => {
    expect(await create().send(requestTo('abc'), farDeadline())).toEqual({
      kind: 'rejected',
      code: 'http_400',
      message: 'Number(s) has/have been denied by white- and/or black-lists.',
    });
  });

  test('200 messages, eight at a time, all arrive', async () => {
    const provider = create();
    // Kannel lets ten new connections wait. More are dropped, and come when the system tries again: after 1, 3, 7, 15, 31 s.
    const inTurn = pLimit(8);
    const sent = Array.from({ length: 200 }, (_, index) => requestTo(TO, { text: `message ${index}` }));
    const outcomes = await Promise.all(sent.map(request => inTurn(() => provider.send(request, farDeadline()))));
    expect(outcomes.map(outcome => outcome.kind)).toEqual(sent.map(() => 'accepted'));
    const expected = sent.map(({ text }) => submitOf(text));
    expect((await arrivals(200)).sort(byMessage)).toMatchObject(expected.sort(byMessage));
  });
});
