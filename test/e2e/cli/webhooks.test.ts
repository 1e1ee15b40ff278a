import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCommand, runCommandJson, startCli } from '../../support/processes/cli.ts';
import { type DemoGateway, send, startDemoGateway, until } from '../../support/processes/gateway.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

const URL_ONE = 'https://8.8.8.8/hooks';

interface Made {
  readonly endpointId: string;
  readonly secret: string;
}

/** Sends a message, and answers the delivery that tells an endpoint of it once it stands there. */
async function deliverOne(gateway: DemoGateway, endpointId: string, status: string): Promise<string> {
  await send(gateway, gateway.demo.tokens.unified);
  return until(`a delivery that is ${status}`, async () => {
    const options = ['webhooks', 'deliveries', endpointId, '--status', status];
    const [found] = await runCommandJson<{ deliveryId: string }[]>({ DATA_DIR: gateway.dataDir }, ...options);
    return found?.deliveryId ?? null;
  });
}

describe('webhooks', () => {
  let gateway: DemoGateway;
  let env: { DATA_DIR: string };

  beforeAll(async () => {
    gateway = await startDemoGateway({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
    env = { DATA_DIR: gateway.dataDir };
  });

  test('create prints the secret, list does not, and delete ends it', async () => {
    const { accountId } = await runCommandJson<{ accountId: string }>(env, 'account', 'create', 'Harbour');
    const own = ['--account', accountId];
    const created = await runCommand(env, 'webhooks', 'create', URL_ONE, '--events', 'message.sent,otp.sent', ...own);
    expect({ status: created.status, stderr: created.stderr }).toEqual({
      status: 0,
      stderr: 'The secret is shown this once: keep it where the receiver finds it.\n',
    });
    const { endpointId, secret } = JSON.parse(created.stdout) as Made;
    expect(JSON.parse(created.stdout)).toEqual({
      endpointId: expect.stringMatching(/^whk_/),
      url: URL_ONE,
      secret: expect.stringMatching(/^whsec_/),
    });
    const listed = await runCommand(env, 'webhooks', 'list', ...own);
    expect(listed.stdout).toMatch(/^ENDPOINT +STATUS +WHY +FAILING SINCE +FAILED +WAITING +URL +EVENTS +DESCRIPTION\n/);
    expect(listed.stdout).toMatch(
      new RegExp(`^${endpointId} +enabled +- +- +- +- +${URL_ONE} +message.sent,otp.sent +-$`, 'm'),
    );
    expect(listed.stdout).not.toContain(secret);
    expect(await runCommandJson(env, 'webhooks', 'delete', endpointId, '--yes', ...own)).toMatchObject({ endpointId });
    const none = { status: 0, stdout: '', stderr: 'The account has no webhook endpoint yet.\n' };
    expect(await runCommand(env, 'webhooks', 'list', ...own)).toEqual(none);
  });

  // Without --account it is the demo account.
  test('update, pause, resume, enable and rotate change an endpoint', async () => {
    const words = ['create', URL_ONE, '--events', '*', '--description', 'Orders'];
    const { endpointId, secret } = await runCommandJson<Made>(env, 'webhooks', ...words);
    const change = (verb: string, ...options: string[]) =>
      runCommandJson<object>(env, 'webhooks', verb, endpointId, ...options);
    const options = ['--url', 'https://8.8.4.4/', '--events', 'otp.failed', '--description', ''];
    const updated = { endpointId, url: 'https://8.8.4.4/', events: ['otp.failed'], description: null };
    expect(await change('update', ...options)).toMatchObject(updated);
    expect(await change('pause')).toMatchObject({ ...updated, status: 'paused' });
    expect(await change('resume')).toMatchObject({ ...updated, status: 'enabled' });
    expect(await change('enable')).toMatchObject({ ...updated, status: 'enabled' });
    const rotated = await change('rotate');
    expect(rotated).toEqual({ endpointId, url: updated.url, secret: expect.stringMatching(/^whsec_/) });
    expect(rotated).not.toMatchObject({ secret });
  });

  describe('with an endpoint that answers', () => {
    let receiver: Receiver;
    let endpointId: string;

    beforeEach(async () => {
      receiver = await startReceiver();
      const made = await runCommandJson<Made>(
        env,
        'webhooks',
        'create',
        receiver.url,
        '--events',
        'otp.sent,message.sent',
      );
      endpointId = made.endpointId;
      return async () => {
        await runCommand(env, 'webhooks', 'delete', endpointId, '--yes');
        await receiver.close();
      };
    });

    const deliver = (status: string): Promise<string> => deliverOne(gateway, endpointId, status);

    test('test shows what it answers, and deliveries has the test', async () => {
      receiver.answer = (_request, response) => response.writeHead(202).end('thank\nyou');
      const { status, stdout, stderr } = await runCommand(env, 'webhooks', 'test', endpointId);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^HTTP +MS +ERROR +DELIVERY +ANSWER\n202 +\d+ +- +dlv_[0-9a-f]{32} +thank you\n$/);
      expect(receiver.received[0]?.headers['x-service-event']).toBe('otp.sent');
      const listed = await runCommand(env, 'webhooks', 'deliveries', endpointId);
      expect(listed.stdout).toMatch(/^TIME +STATUS +EVENT +TRIES +HTTP +NEXT TRY +ERROR +DELIVERY\n/);
      expect(listed.stdout).toMatch(/ delivered +otp\.sent \(test\) +1 +202 +- +- +dlv_[0-9a-f]{32}$/m);
    });

    test('test of an event ends with status 1 where the endpoint fails', async () => {
      receiver.answer = (_request, response) => response.writeHead(500).end();
      const tested = await runCommand(env, 'webhooks', 'test', endpointId, '--event', 'sms.failed');
      expect(tested).toMatchObject({ status: 1, stdout: expect.stringMatching(/^500 +\d+ +bad_status /m) });
      expect(tested.stderr).toMatch(/^bad_status: The endpoint answered 500/);
      expect(receiver.received[0]?.headers['x-service-event']).toBe('sms.failed');
    });

    test('list says since when an endpoint fails, how often, and what waits', async () => {
      receiver.answer = (_request, response) => response.writeHead(500).end();
      await send(gateway, gateway.demo.tokens.unified);
      const row = new RegExp(`^${endpointId} +retrying +- +\\S+Z +[1-9]\\d* +1 `, 'm');
      await until('an endpoint that fails', async () =>
        row.test((await runCommand(env, 'webhooks', 'list')).stdout) ? true : null,
      );
    });

    test('deliveries are none before something happened, and what does not pass the filter is not shown', async () => {
      const none = { status: 0, stdout: '', stderr: 'There is no such delivery to the endpoint.\n' };
      expect(await runCommand(env, 'webhooks', 'deliveries', endpointId)).toEqual(none);
      await runCommand(env, 'webhooks', 'test', endpointId);
      const filter = ['--status', 'dead', '--event', 'otp.sent', '--limit', '5'];
      expect(await runCommand(env, 'webhooks', 'deliveries', endpointId, ...filter)).toEqual(none);
    });

    test('delivery shows every try with what was answered, and the body as it was sent', async () => {
      receiver.answer = (_request, response) => response.writeHead(410).end('moved\naway');
      const deliveryId = await deliver('dead');
      const { status, stdout, stderr } = await runCommand(env, 'webhooks', 'delivery', deliveryId);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const [delivery, tries, body] = stdout.split('\n\n');
      expect(delivery).toMatch(new RegExp(`^TIME .*\\n\\S+ +dead +message\\.sent +1 +410 .* ${deliveryId}$`));
      expect(tries).toMatch(/^TIME +TRY +HTTP +MS +ERROR +ANSWER\n\S+ +1 +410 +\d+ +bad_status: .+\. +moved away$/);
      expect(body).toBe(`${receiver.received[0]?.body}\n`);
    });

    test('delivery --json has the tries and the body', async () => {
      receiver.answer = (_request, response) => response.writeHead(202).end('thank\nyou');
      const deliveryId = await deliver('delivered');
      expect(await runCommandJson(env, 'webhooks', 'delivery', deliveryId)).toMatchObject({
        deliveryId,
        status: 'delivered',
        tries: [{ number: 1, httpStatus: 202, error: null, response: 'thank\nyou' }],
        body: receiver.received[0]?.body,
      });
    });

    test('deliveries --follow prints a line for each try, and a signal ends it with status 0', async () => {
      receiver.answer = (_request, response) => response.writeHead(202).end('thank\nyou');
      const following = startCli(env, ['webhooks', 'deliveries', endpointId, '--follow']);
      await following.until('stderr', 'Ctrl+C ends it');
      const deliveryId = await deliver('delivered');
      await following.until('stdout', deliveryId);
      following.child.kill('SIGINT');
      const { status, stdout, stderr } = await following.result;
      expect({ status, stderr }).toEqual({
        status: 0,
        stderr: `Following the tries to ${endpointId}; Ctrl+C ends it.\n`,
      });
      expect(stdout).toMatch(new RegExp(`^\\S+Z {2}${deliveryId} {2}try 1 {2}202 {2}\\d+ ms {2}- {2}thank you\\n$`));
    });

    test('deliveries --follow --json prints a document for each try, and none of another endpoint', async () => {
      const other = await runCommandJson<Made>(env, 'webhooks', 'create', receiver.url, '--events', 'otp.failed');
      const following = startCli(env, ['webhooks', 'deliveries', endpointId, '--follow', '--json']);
      await following.until('stderr', 'Ctrl+C ends it');
      await runCommandJson(env, 'webhooks', 'test', other.endpointId);
      const made = await runCommandJson<object>(env, 'webhooks', 'test', endpointId);
      await following.until('stdout', '\n');
      following.child.kill('SIGINT');
      expect((await following.result).stdout).toBe(`${JSON.stringify(made)}\n`);
    });

    test('redeliver makes a delivery again, with its id', async () => {
      const deliveryId = await deliver('delivered');
      expect(await runCommandJson(env, 'webhooks', 'redeliver', deliveryId)).toMatchObject({ deliveryId });
      await receiver.hasReceived(2);
      const ids = receiver.received.map(({ headers }) => headers['x-service-delivery']);
      expect(ids).toEqual([deliveryId, deliveryId]);
    });

    test('redeliver --endpoint makes those again that pass the filter', async () => {
      const deliveryId = await deliver('delivered');
      const filter = [
        '--status',
        'delivered',
        '--event',
        'message.sent',
        '--since',
        '2026-01-01',
        '--until',
        '2100-01-01',
      ];
      const begun = await runCommand(env, 'webhooks', 'redeliver', '--endpoint', endpointId, ...filter);
      expect(begun).toEqual({ status: 0, stdout: '1 delivery begins again.\n', stderr: '' });
      await receiver.hasReceived(2);
      expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual([deliveryId, deliveryId]);
    });

    test.each([
      ['of a status, dead where none is given', []],
      ['of an event', ['--status', 'delivered', '--event', 'otp.sent']],
      ['made later', ['--status', 'delivered', '--since', '2100-01-01']],
      ['made before', ['--status', 'delivered', '--until', '2026-01-01']],
    ])('redeliver --endpoint leaves those that are not %s', async (_what, filter) => {
      await deliver('delivered');
      const begun = await runCommandJson(env, 'webhooks', 'redeliver', '--endpoint', endpointId, ...filter);
      expect(begun).toEqual({ count: 0 });
    });

    test('recover makes again what the endpoint missed while it was disabled', async () => {
      receiver.answer = (_request, response) => response.writeHead(410).end();
      await deliver('dead');
      receiver.answer = (_request, response) => response.end();
      await runCommandJson(env, 'webhooks', 'enable', endpointId);
      const recovered = await runCommand(env, 'webhooks', 'recover', endpointId, '--since', '2026-01-01');
      expect(recovered).toEqual({ status: 0, stdout: '1 delivery begins again.\n', stderr: '' });
      await receiver.hasReceived(2);
    });
  });

  test.each([
    [['deliveries', 'whk_none'], 'not_found: There is no such webhook endpoint.\n'],
    [['deliveries', 'whk_none', '--follow'], 'not_found: There is no such webhook endpoint.\n'],
    [['delivery', 'dlv_none'], 'not_found: There is no such webhook delivery.\n'],
    [['redeliver', '--endpoint', 'whk_none'], 'not_found: There is no such webhook endpoint.\n'],
    [['redeliver', 'dlv_none'], 'not_found: There is no such webhook delivery.\n'],
    [['recover', 'whk_none', '--since', '2026-01-01'], 'not_found: There is no such webhook endpoint.\n'],
    [['test', 'whk_none'], 'not_found: There is no such webhook endpoint.\n'],
    [['pause', 'whk_none'], 'not_found: There is no such webhook endpoint.\n'],
    [['create', 'http://10.0.0.1/', '--events', '*'], /^invalid_input: <url>: /],
  ])('%j is refused with status 1 and the code of the API', async (args, message) => {
    const { status, stdout, stderr } = await runCommand(env, 'webhooks', ...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('webhooks where no gateway runs', () => {
  const WAITS = 'No gateway runs: it is delivered as soon as one does.\n';
  let env: DemoGateway['env'];
  let endpointId: string;
  let deliveryId: string;

  // A dead delivery of an endpoint each, so that redelivering the one takes nothing from the other; both enabled again.
  beforeAll(async () => {
    const receiver = await startReceiver((_request, response) => response.writeHead(410).end());
    const gateway = await startDemoGateway({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
    env = gateway.env;
    const words = ['webhooks', 'create', receiver.url, '--events', 'message.sent'];
    const first = await runCommandJson<Made>(env, ...words);
    deliveryId = await deliverOne(gateway, first.endpointId, 'dead');
    ({ endpointId } = await runCommandJson<Made>(env, ...words));
    await deliverOne(gateway, endpointId, 'dead');
    for (const id of [first.endpointId, endpointId]) await runCommandJson(env, 'webhooks', 'enable', id);
    gateway.kill('SIGTERM');
    await gateway.exited;
    await receiver.close();
  });

  test.each([
    ['recover', () => ['recover', endpointId, '--since', '2026-01-01']],
    ['redeliver --endpoint', () => ['redeliver', '--endpoint', endpointId]],
    ['redeliver', () => ['redeliver', deliveryId]],
  ])('%s says that nothing is delivered until one does', async (_what, args) => {
    const ended = await runCommand(env, 'webhooks', ...args());
    expect(ended).toMatchObject({ status: 0, stderr: expect.stringContaining(WAITS) });
  });

  test('what begins nothing says nothing of it', async () => {
    const args = ['redeliver', '--endpoint', endpointId, '--status', 'delivered'];
    const { status, stdout, stderr } = await runCommand(env, 'webhooks', ...args);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '0 deliveries begin again.\n' });
    expect(stderr).not.toContain(WAITS);
  });
});

describe('wrong usage', () => {
  test.each([
    ['no events', ['create', URL_ONE], /required option '--events <list>' not specified/],
    ['an unknown event', ['create', URL_ONE, '--events', 'otp.lost'], /Give some of message\.sent, /],
    ['nothing to update', ['update', 'whk_x'], /give at least one of --url, --events and --description/],
    ['no time', ['recover', 'whk_x'], /required option '--since <when>' not specified/],
    ['what is no time', ['recover', 'whk_x', '--since', 'yesterday'], /Give a time like /],
    ['an unknown event', ['test', 'whk_x', '--event', 'otp.lost'], /Allowed choices are message\.sent, /],
    ['an unknown status', ['deliveries', 'whk_x', '--status', 'lost'], /Allowed choices are pending, delivered, dead/],
    ['nothing to redeliver', ['redeliver'], /give either a deliveryId or --endpoint, and not both/],
    [
      'two things to redeliver',
      ['redeliver', 'dlv_x', '--endpoint', 'whk_x'],
      /give either a deliveryId or --endpoint/,
    ],
    [
      'a filter of one delivery',
      ['redeliver', 'dlv_x', '--status', 'dead'],
      /choose among the deliveries of --endpoint/,
    ],
    [
      'what is not over',
      ['redeliver', '--endpoint', 'whk_x', '--status', 'pending'],
      /Allowed choices are dead, delivered/,
    ],
    [
      'a list that is followed',
      ['deliveries', 'whk_x', '--follow', '--limit', '5'],
      /cannot be used with option '--limit/,
    ],
    ['page 0', ['list', '--page', '0'], /Give a whole number from 1 to/],
  ])('%s ends with status 2 and says why', async (_what, args, why) => {
    const { status, stdout, stderr } = await runCommand({ DATA_DIR: '/nowhere/that/can/be/made' }, 'webhooks', ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(why);
  });
});
