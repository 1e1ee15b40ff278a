import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DemoGateway, startDemoGateway } from '../../../support/processes/gateway.ts';
import { REPOSITORY } from '../../../support/repository.ts';

const FOLDER = join(REPOSITORY, 'src/dashboard/playground/examples');

/** The examples of the playground, as who is signed in to the dashboard of a new gateway runs them. */
describe('the examples of the playground', () => {
  let gateway: DemoGateway;
  let cookie: string;

  beforeAll(async () => {
    gateway = await startDemoGateway();
    const signedIn = await ask('mutation SignIn($input: SignInInput!) { signIn(input: $input) { kind } }', 'SignIn', {
      input: gateway.demo.dashboard,
    });
    cookie = signedIn.cookie.split(';', 1)[0] ?? '';
  });

  async function ask(query: string, operationName: string, variables = {}, accept = 'application/json') {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, origin: gateway.url, ...(cookie && { cookie }) },
      body: JSON.stringify({ query, operationName, variables }),
    });
    return { response, cookie: response.headers.get('set-cookie') ?? '' };
  }

  async function run(file: string, operation: string, replaced: Readonly<Record<string, string>> = {}) {
    const text = await readFile(join(FOLDER, `${file}.graphql`), 'utf8');
    const query = Object.entries(replaced).reduce((before, [from, to]) => before.replace(from, to), text);
    const { response } = await ask(query, operation);
    const { data, errors } = await response.json();
    expect(errors).toBeUndefined();
    return data;
  }

  test('send a message', async () => {
    expect(await run('1-send-message', 'SendMessage')).toMatchObject({
      sendMessage: { status: 'SENT', channel: 'CHAT_QR', attempts: [{ status: 'SENT', errorCode: null }] },
    });
  });

  test('send a passcode, read its code and verify it', async () => {
    const { sendOtp } = await run('2-send-otp', 'SendOtp');
    expect(sendOtp).toMatchObject({ status: 'SENT' });
    const { sandboxWaitForCode: found } = await run('3-verify-otp', 'ReadCode');
    expect(found).toMatchObject({ pinId: sendOtp.pinId });
    const typed = { pin_00000000000000000000000000000000: found.pinId, '"000000"': JSON.stringify(found.code) };
    expect(await run('3-verify-otp', 'VerifyOtp', typed)).toMatchObject({
      verifyOtp: { pinId: sendOtp.pinId, verifiedAt: expect.any(String) },
    });
  });

  test.each([
    ['4-logs', 'Logs', { logs: { nodes: expect.any(Array) } }],
    ['6-preview-send', 'PreviewSend', { previewSend: { encoding: 'UCS2', legs: [{ channel: 'SMS' }] } }],
    [
      '7-create-webhook',
      'CreateWebhookEndpoint',
      { createWebhookEndpoint: { secret: expect.stringMatching(/^whsec_/) } },
    ],
    ['8-credits', 'Credits', { balance: { credits: expect.any(Number) } }],
  ])('%s answers', async (file, operation, answer) => {
    expect(await run(file, operation)).toMatchObject(answer);
  });

  test('follow the log', async () => {
    const query = await readFile(join(FOLDER, '5-live-log.graphql'), 'utf8');
    const { response } = await ask(query, 'LiveLog', {}, 'text/event-stream');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    await response.body?.cancel();
  });
});
