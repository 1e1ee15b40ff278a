import { beforeAll, describe, expect, test } from 'vitest';
import { newPhone } from '../../support/otp/pins.ts';
import { type CliRun, runCommand, startCli } from '../../support/processes/cli.ts';
import {
  type Demo,
  type DemoGateway,
  type Gateway,
  send,
  startDemoGateway,
  startGateway,
} from '../../support/processes/gateway.ts';
import { makeWrongClock, noWrongClock } from '../../support/processes/wrong-clock.ts';

/** A phone of the sandbox whose texts are reported undelivered. */
const UNDELIVERED = '+12025550105';

/** One whose texts are not taken, so that nothing is reported of them. */
const NOT_TAKEN = '+12025550104';

/** More entries than one answer of the gateway has. */
const MORE_THAN_A_PAGE = 220;

function interrupt({ child, result }: CliRun): CliRun['result'] {
  child.kill('SIGINT');
  return result;
}

describe('logs --follow', () => {
  let gateway: Gateway;
  let demo: Demo;
  let env: { DATA_DIR: string };
  let settings: DemoGateway['env'];

  beforeAll(async () => {
    const demoGateway = await startDemoGateway();
    gateway = demoGateway;
    demo = demoGateway.demo;
    env = { DATA_DIR: gateway.dataDir };
    settings = demoGateway.env;
  });

  async function follow(...options: string[]): Promise<CliRun> {
    return followBy({}, ...options);
  }

  async function followBy(more: Record<string, string>, ...options: string[]): Promise<CliRun> {
    const run = startCli({ ...env, ...more }, ['logs', '--follow', ...options]);
    await run.until('stderr', 'Ctrl+C ends it');
    return run;
  }

  /** Ends the gateway under one who follows it, starts another one on its database, and does something before that is followed. */
  async function restart<Result>(run: CliRun, before: () => Promise<Result>): Promise<Result> {
    const { dataDir } = gateway;
    gateway.kill('SIGTERM');
    await gateway.exited;
    await run.until('stderr', 'Waiting for it to come back');
    run.child.kill('SIGSTOP');
    gateway = await startGateway({ dataDir, env: settings });
    const result = await before();
    run.child.kill('SIGCONT');
    return result;
  }

  test('shows entries below their headings, and a report with the time when it came', async () => {
    const run = await follow('--to', UNDELIVERED);
    const { body } = await send(gateway, demo.tokens.unified, { to: UNDELIVERED });
    await run.until('stdout', 'failed');
    const [head = '', ...lines] = (await interrupt(run)).stdout.trimEnd().split('\n');
    expect(head).toMatch(/^TIME {22}STATUS {5}CHANNEL {5}RECIPIENT /);
    expect(lines.map(line => line.split(/ +/)[1])).toEqual(['sent', 'failed']);
    for (const line of lines) expect(line.indexOf(String(body.data?.messageId))).toBe(head.indexOf('MESSAGE'));
    const [sentAt = '', failedAt = ''] = lines.map(line => line.split(' ')[0]);
    expect(failedAt > sentAt).toBe(true);
  });

  test('goes on when the gateway starts again, with what was stored in between', async () => {
    const run = await follow('--json');
    const tell = async (): Promise<string> => {
      const { body } = await send(gateway, demo.tokens.unified, { to: newPhone() });
      return String(body.data?.messageId);
    };
    const before = await tell();
    await run.until('stdout', before);
    const between = await restart(run, tell);
    await run.until('stderr', 'Following again');
    const after = await tell();
    await run.until('stdout', after);
    const { status, stdout } = await interrupt(run);
    expect(status).toBe(0);
    const told = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    for (const messageId of [before, between, after])
      expect(told.filter(entry => entry.messageId === messageId && entry.status === 'sent')).toHaveLength(1);
  });

  test('shows all that was stored in between, however much that is', async () => {
    const run = await follow('--json', '--to', NOT_TAKEN);
    const sent = await restart(run, async () => {
      const messageIds: string[] = [];
      while (messageIds.length < MORE_THAN_A_PAGE) {
        const group = Array.from({ length: 20 }, () => send(gateway, demo.tokens.unified, { to: NOT_TAKEN }));
        for (const { body } of await Promise.all(group)) messageIds.push(String(body.data?.messageId));
      }
      return messageIds;
    });
    const last = await send(gateway, demo.tokens.unified, { to: NOT_TAKEN });
    await run.until('stderr', 'Following again');
    await run.until('stdout', String(last.body.data?.messageId));
    const lines = (await interrupt(run)).stdout.trimEnd().split('\n');
    const told = lines.map(line => JSON.parse(line).messageId);
    expect(sent.filter(messageId => !told.includes(messageId))).toEqual([]);
    expect(told).toHaveLength(new Set(told).size);
  });

  test.skipIf(noWrongClock !== null)('shows what was stored in between where its own clock is fast', async () => {
    const { env: clock } = await makeWrongClock('wall', 600);
    const run = await followBy(clock, '--json', '--to', NOT_TAKEN);
    await restart(run, () => send(gateway, demo.tokens.unified, { to: NOT_TAKEN }));
    await run.until('stdout', 'att_');
    await interrupt(run);
  });

  test('takes no end of a time', async () => {
    const { status, stderr } = await runCommand(env, 'logs', '--follow', '--until', '2026-11-21');
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/'--follow' cannot be used with option '--until <when>'/),
    });
  });
});
