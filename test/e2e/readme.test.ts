import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { README, shellBlocks } from '../support/readme.ts';

const run = promisify(execFile);
const blocks = shellBlocks(readFileSync(README, 'utf8'));
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

/** Runs the blocks of the README up to this one in one shell, as a reader would, and answers what the last one printed. */
async function runUpTo(index: number): Promise<string> {
  const typed = blocks
    .slice(0, index + 1)
    .map((block, at) => (at < index ? `{ ${block}\n} >/dev/null` : block))
    .join('\n')
    .replaceAll('http://127.0.0.1:4000', gateway.url)
    .replaceAll('.data/demo.json', `${gateway.dataDir}/demo.json`);
  const { stdout } = await run('sh', ['-eu', '-c', typed]);
  return stdout;
}

test('the first message is sent over the first channel', async () => {
  expect(JSON.parse(await runUpTo(0))).toMatchObject({
    success: true,
    data: {
      status: 'sent',
      channel: 'chat_qr',
      reference: 'order-1042',
      attempts: [{ channel: 'chat_qr', status: 'sent' }],
    },
  });
});

test('by GraphQL the SMS follows where the recipient is on no chat', async () => {
  expect(JSON.parse(await runUpTo(1))).toMatchObject({
    data: {
      sendMessage: {
        status: 'SENT',
        channel: 'SMS',
        attempts: [
          { channel: 'CHAT_QR', status: 'FAILED' },
          { channel: 'SMS', status: 'SENT' },
        ],
      },
    },
  });
});

test('the log is read back over REST and over GraphQL, and the phone shows the text', async () => {
  const [rest, graphql] = (await runUpTo(2)).split(/(?<=\})(?=\{"data")/);
  expect(JSON.parse(rest ?? '').data.logs).toHaveLength(3);
  const { logs, sandboxMessages } = JSON.parse(graphql ?? '').data;
  expect(logs.edges[0].node).toMatchObject({ type: 'MESSAGE_ATTEMPT', channel: 'SMS' });
  expect(sandboxMessages[0]).toEqual({ channel: 'SMS', from: 'DEMO', text: 'Hello' });
});

test('a passcode is sent by SMS, read from the phone and verified', async () => {
  expect(JSON.parse(await runUpTo(3))).toMatchObject({
    success: true,
    data: { recipient: '12025550100', status: 'verified' },
  });
});

test('by GraphQL too, over the channel that took it', async () => {
  expect(JSON.parse(await runUpTo(4))).toMatchObject({
    data: {
      verifyOtp: {
        status: 'VERIFIED',
        channel: 'SMS',
        attempts: [
          { channel: 'CHAT_QR', status: 'FAILED' },
          { channel: 'SMS', status: 'SENT' },
        ],
      },
    },
  });
});

test('every command of the README is one of these', () => {
  expect(blocks).toHaveLength(5);
});
