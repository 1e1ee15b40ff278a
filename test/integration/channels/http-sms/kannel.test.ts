import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Provider } from '../../../../src/channels/contract.ts';
import { httpSms } from '../../../../src/channels/http-sms/provider.ts';
import { KANNEL_USER, type Kannel, missingKannel, startKannel } from '../../../support/kannel/kannel.ts';
import { gatewayConfig } from '../../../support/providers/gateway-peer.ts';
import { farDeadline, requestTo, SERVICES } from '../../../support/providers/http-peer.ts';

const absent = missingKannel();

describe.skipIf(absent !== null)('the config of the contract, with Kannel', () => {
  let kannel: Kannel;
  beforeAll(async () => {
    kannel = await startKannel('fake');
  });
  afterAll(() => kannel[Symbol.asyncDispose]());

  function create(password: string = KANNEL_USER.password): Provider {
    const config = gatewayConfig(new URL(kannel.sendsmsUrl).origin, password);
    const provider = httpSms.create(httpSms.configSchema.parse(config), SERVICES);
    onTestFinished(() => provider.close?.());
    return provider;
  }

  test.each(['Hi there', 'Your code is 314159 & 100 % + more = done?', 'Grüße @ £ Ω'])(
    'a message is accepted and arrives: %s',
    async text => {
      const request = requestTo('4917012345', { attemptId: 'att_1', text });
      expect(await create().send(request, farDeadline())).toEqual({ kind: 'accepted', providerMessageId: 'att_1' });
      expect(await kannel.arrival()).toEqual(['ACME', '4917012345', text]);
    },
  );

  test('a wrong password is the fault of the connection', async () => {
    expect(await create('wrong').send(requestTo('4917012345'), farDeadline())).toEqual({
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

  test('200 messages at once all arrive', async () => {
    const provider = create();
    const sent = Array.from({ length: 200 }, (_, index) => requestTo('4917012345', { text: `message ${index}` }));
    const outcomes = await Promise.all(sent.map(request => provider.send(request, farDeadline())));
    expect(outcomes.map(outcome => outcome.kind)).toEqual(sent.map(() => 'accepted'));
    const arrived = new Set<string>();
    for (const _ of sent) arrived.add((await kannel.arrival())[2] ?? '');
    expect([...arrived].sort()).toEqual(sent.map(({ text }) => text).sort());
  });
});
