import { beforeAll, describe, expect, test } from 'vitest';
import { newPhone } from '../../support/otp/pins.ts';
import { runCommand, runCommandJson } from '../../support/processes/cli.ts';
import { type DemoGateway, startDemoGateway } from '../../support/processes/gateway.ts';

describe('inbox', () => {
  let env: DemoGateway['env'];
  let gateway: DemoGateway;

  beforeAll(async () => {
    gateway = await startDemoGateway();
    ({ env } = gateway);
  });

  const post = async (path: string, token: string, body: object): Promise<{ data: Record<string, string> }> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json() as Promise<{ data: Record<string, string> }>;
  };

  const { sendText, sendOtp } = {
    sendText: (to: string, text: string) =>
      post('/api/sms/send', gateway.demo.tokens.sms, { to, text, sender: 'DEMO' }),
    sendOtp: (to: string) => post('/api/sms/otp/send', gateway.demo.tokens.otp, { to }),
  };

  test('wait prints the next text, alone', async () => {
    const to = newPhone();
    const waiting = runCommand(env, 'inbox', 'wait', '--to', to);
    await sendText(to, 'Hello from the test');
    expect(await waiting).toMatchObject({ status: 0, stdout: 'Hello from the test\n' });
  });

  test('wait --code prints the code alone, which verifies', async () => {
    const to = newPhone();
    const { data } = await sendOtp(to);
    const { stdout } = await runCommand(env, 'inbox', 'wait', '--to', to, '--code');
    expect(stdout).toMatch(/^[0-9]{6}\n$/);
    const body = { pinId: data.pinId, pin: stdout.trim() };
    expect(await post('/api/sms/otp/verify', gateway.demo.tokens.otp, body)).toMatchObject({
      data: { status: 'verified' },
    });
  });

  test('wait and list with --json print what the phone has', async () => {
    const to = newPhone();
    await sendText(to, 'As JSON');
    const message = { to: to.slice(1), channel: 'sms', from: 'DEMO', text: 'As JSON' };
    expect(await runCommandJson(env, 'inbox', 'wait', '--to', to)).toMatchObject(message);
    expect(await runCommandJson(env, 'inbox', 'list', '--to', to)).toMatchObject([message]);
  });

  test('reply writes from a phone, and prints the id', async () => {
    const from = newPhone();
    const { stdout } = await runCommand(env, 'inbox', 'reply', '--from', from, '--to', 'DEMO', '--text', 'Yes');
    expect(stdout).toMatch(/^msg_[0-9a-f]{32}\n$/);
    expect(
      await runCommandJson(env, 'inbox', 'reply', '--from', from, '--to', 'DEMO', '--text', 'Yes, please.'),
    ).toMatchObject({ from: from.slice(1), to: 'DEMO', channel: 'sms', text: 'Yes, please.', replyTo: null });
  });

  test('wait ends with status 1 where nothing comes in time', async () => {
    const { status, stdout, stderr } = await runCommand(env, 'inbox', 'wait', '--to', newPhone(), '--timeout', '1');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^No text came to \+\d+ within 1 s\.$/m);
  });
});
