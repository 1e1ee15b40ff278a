import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { toSid } from '../../../src/rest/doors/twilio/caller.ts';
import { type DemoGateway, startDemoGateway } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { blocksOf, readPage } from '../../support/rules/docs.ts';

let gateway: DemoGateway;

beforeAll(async () => {
  gateway = await startDemoGateway({ env: { DOORS: 'twilio' } });
});

test('the sample for the client of Twilio sends a message through the door', async () => {
  const samples = blocksOf(readPage('docs/coming-from.md')).filter(({ language }) => language === 'js');
  expect(samples).toHaveLength(1);
  const code = samples[0]?.code.replace('http://127.0.0.1:4000', gateway.url) ?? '';
  const { accountId, tokens } = gateway.demo;
  const child = spawn(process.execPath, ['--input-type=module'], {
    cwd: REPOSITORY,
    env: { SID: toSid('AC', accountId), TOKEN: tokens.unified },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(code);
  expect(await text(child.stdout)).toMatch(/^(sent|delivered)\n$/);
});
