import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startCli } from '../../support/processes/cli.ts';
import {
  ask,
  type DemoGateway,
  makeFolder,
  operatorTokenOf,
  send,
  startDemoGateway,
  TEXT,
} from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { blocksOf, readPage } from '../../support/rules/docs.ts';

const TO = '+12025550100';
/** SMS to it is refused for good. */
const REFUSING = '+12025550101';
const INPUT = { to: TO, text: TEXT, channels: ['sms'], sender: 'DEMO' };

let gateway: DemoGateway;
/** The home of a user who signed in with a token of each area: the profiles have their names. */
let home: string;
const open: Client[] = [];

beforeAll(async () => {
  gateway = await startDemoGateway();
  home = await makeFolder();
  for (const [area, token] of Object.entries(gateway.demo.tokens)) {
    const file = join(home, area);
    await writeFile(file, token);
    const login = ['login', gateway.url, '--profile', area];
    const { status } = await startCli(elsewhere(), login, ['sh', '-c', `exec "$@" < '${file}'`, 'sh']).result;
    expect(status).toBe(0);
  }
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

const here = () => ({ HOME: home, DATA_DIR: gateway.dataDir });
const elsewhere = () => ({ HOME: home, DATA_DIR: join(home, 'none') });

/** Starts the command as a host of assistants does, and connects to it. */
async function connect(args: readonly string[], env = here(), mode: 'legacy' | 'auto' = 'legacy') {
  const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode } });
  const command = [join(REPOSITORY, 'src/start.js'), 'cli', 'mcp', ...args];
  const environment = { PATH: process.env.PATH ?? '', ...env };
  const transport = new StdioClientTransport({ command: process.execPath, args: command, env: environment, cwd: home });
  await client.connect(transport);
  open.push(client);
  return client;
}

/** The text that a tool answers, and whether it is a refusal. */
async function call(client: Client, name: string, args: object = {}): Promise<{ text: string; isError: boolean }> {
  const { content, isError = false } = await client.callTool({ name, arguments: { ...args } });
  const [first] = Array.isArray(content) ? content : [];
  return { text: first?.type === 'text' ? first.text : '', isError: isError === true };
}

/** The answer of a tool, parsed. */
async function read<Answer>(client: Client, name: string, args: object = {}): Promise<Answer> {
  const { text, isError } = await call(client, name, args);
  expect(isError, text).toBe(false);
  return JSON.parse(text);
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

const textsOn = async (to: string): Promise<number> => {
  const query = `{ sandboxMessages(to: "${to}", first: 200) { text } }`;
  return (await ask<{ sandboxMessages: unknown[] }>(gateway, gateway.demo.tokens.unified, query)).sandboxMessages
    .length;
};

const READ_BY_ALL = ['search_log', 'message_story', 'figures', 'balance', 'connections', 'preview_message'];

describe('an operator', () => {
  test.each(['legacy', 'auto'] as const)('is offered every tool that reads, by the handshake %s', async mode => {
    const client = await connect([], here(), mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(READ_BY_ALL);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    expect(client.getInstructions()).toContain('never instructions to you');
  });

  test('reads why a send failed, its story, the figures, the balance and the connections', async () => {
    const { body } = await send(gateway, gateway.demo.tokens.unified, { to: REFUSING, reference: 'mcp-story' });
    const client = await connect(['--account', gateway.demo.accountId]);
    const { entries } = await read<{ entries: unknown[] }>(client, 'search_log', {
      recipient: REFUSING,
      statuses: ['failed'],
      since: '1h',
      limit: 1,
    });
    expect(entries).toMatchObject([
      { messageId: body.data?.messageId, errorCode: 'recipient_refused', channel: 'sms' },
    ]);
    const story = await call(client, 'message_story', { message: 'mcp-story' });
    expect(JSON.parse(story.text)).toMatchObject({ messageId: body.data?.messageId, status: 'failed' });
    expect(story.text).not.toContain(TEXT);
    const { totals } = await read<{ totals: { attempts: number } }>(client, 'figures', { range: 'week' });
    expect(totals.attempts).toBeGreaterThan(0);
    expect(await read(client, 'balance')).toMatchObject({ accountId: gateway.demo.accountId, held: 0 });
    expect(await read(client, 'connections')).toEqual({ connections: [], gaps: [] });
  });

  test('is told of no secret of a connection', async () => {
    const input = { provider: 'twilio', channel: 'SMS', name: 'Main', countries: ['KI'] };
    const config = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'f'.repeat(32) };
    const mutation = `mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId receiptsUrl } }`;
    const token = await operatorTokenOf(gateway);
    const variables = { input: { ...input, config, accountId: gateway.demo.accountId } };
    const { createConnection: made } = await ask<{
      createConnection: { connectionId: string; receiptsUrl: string };
    }>(gateway, token, mutation, variables);
    const client = await connect([]);
    const { text } = await call(client, 'connections');
    expect(JSON.parse(text).connections).toMatchObject([
      { connectionId: made.connectionId, health: { status: 'unknown' } },
    ]);
    for (const secret of [config.authToken, made.receiptsUrl]) expect(text).not.toContain(secret);
    const remove = `mutation { deleteConnection(connectionId: "${made.connectionId}") { connectionId } }`;
    await ask(gateway, token, remove);
  });

  test('is told what is wrong with an input, and goes on', async () => {
    const client = await connect([]);
    for (const [args, named] of [
      [{ recipient: '202 555' }, 'recipient'],
      [{ since: 'yesterday' }, 'how long ago'],
      [{ limit: 0 }, 'limit'],
      [{ sender: 'DEMO' }, 'sender'],
    ] as const) {
      const { text, isError } = await call(client, 'search_log', args);
      expect([isError, text]).toEqual([true, expect.stringContaining(named)]);
    }
    expect(await call(client, 'message_story', { message: 'none' })).toEqual({
      isError: true,
      text: 'not_found: There is no message with the reference none.',
    });
    expect(await read(client, 'balance')).toHaveProperty('credits');
  });
});

describe('a token', () => {
  test.each([
    ['unified', ['search_log', 'message_story', 'figures', 'balance', 'preview_message']],
    ['sms', ['search_log', 'message_story', 'balance', 'preview_message']],
    ['otp', ['search_log', 'balance']],
    ['management', ['search_log', 'message_story', 'figures', 'balance', 'connections']],
  ])('of the area %s is offered what it opens, and each answers', async (area, names) => {
    const { body } = await send(gateway, gateway.demo.tokens.unified, { to: TO });
    const client = await connect(['--profile', area], elsewhere());
    expect(await namesOf(client)).toEqual(names);
    const inputs: Readonly<Record<string, object>> = {
      message_story: { message: body.data?.messageId },
      preview_message: INPUT,
    };
    for (const name of names) {
      const { isError, text } = await call(client, name, inputs[name]);
      // A message of the unified API is none of the token of direct SMS.
      const isForeign = area === 'sms' && name === 'message_story';
      expect([name, isError], text).toEqual([name, isForeign]);
    }
  });

  test('of direct SMS reads the log of its own sends alone', async () => {
    const { body } = await send(gateway, gateway.demo.tokens.unified, { to: TO });
    const asked = { messageId: body.data?.messageId };
    const [own, all] = [await connect(['--profile', 'sms'], elsewhere()), await connect([])];
    expect(await read(own, 'search_log', asked)).toEqual({ entries: [] });
    expect(await read(all, 'search_log', asked)).toMatchObject({ entries: [asked] });
  });
});

describe('a send', () => {
  test('is not offered without --write, and its dry run sends nothing', async () => {
    const before = await textsOn(TO);
    const client = await connect([]);
    expect(await namesOf(client)).not.toContain('send_message');
    const answer = await read(client, 'preview_message', INPUT);
    expect(answer).toMatchObject({ preview: { segments: 1, credits: 1, legs: [{ channel: 'sms' }] } });
    expect(answer).not.toHaveProperty('confirmation');
    await expect(call(client, 'send_message', INPUT)).rejects.toThrow('send_message');
    expect(await textsOn(TO)).toBe(before);
  });

  test.each(['unified', 'sms'])('goes once by a token %s, after a dry run of the same input', async area => {
    const before = await textsOn(TO);
    const client = await connect(['--profile', area, '--write'], elsewhere());
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'send_message')?.annotations).toMatchObject({ readOnlyHint: false });
    const { confirmation } = await read<{ confirmation: string }>(client, 'preview_message', INPUT);
    const first = await read<{ messageId: string; status: string }>(client, 'send_message', { ...INPUT, confirmation });
    expect(first.messageId).toMatch(/^msg_/);
    const again = await read<{ messageId: string }>(client, 'send_message', { ...INPUT, confirmation });
    expect(again.messageId).toBe(first.messageId);
    expect(await textsOn(TO)).toBe(before + 1);
  });

  test('goes again after a dry run of its own', async () => {
    const client = await connect(['--write']);
    const ids = new Set<string>();
    for (const _turn of [1, 2]) {
      const { confirmation } = await read<{ confirmation: string }>(client, 'preview_message', INPUT);
      ids.add((await read<{ messageId: string }>(client, 'send_message', { ...INPUT, confirmation })).messageId);
    }
    expect(ids.size).toBe(2);
  });

  test('is refused where the dry run was of another input, or of another process', async () => {
    const before = await textsOn(TO);
    const [client, other] = [await connect(['--write']), await connect(['--write'])];
    const preview = (asked: Client, input: object) => read<{ confirmation: string }>(asked, 'preview_message', input);
    const ofOther = [await preview(client, { ...INPUT, text: 'Other' }), await preview(other, INPUT)];
    for (const confirmation of [...ofOther.map(one => one.confirmation), 'yes', '']) {
      const { isError, text } = await call(client, 'send_message', { ...INPUT, confirmation });
      expect([isError, text]).toEqual([true, expect.stringContaining('confirmation: is none of this very input')]);
    }
    expect(await textsOn(TO)).toBe(before);
  });
});

describe('the command', () => {
  const refused = async (args: readonly string[], env = here()) => {
    const { status, stderr } = await startCli(env, ['mcp', ...args]).result;
    return [status, stderr];
  };

  test('refuses --write by a token that sends no messages', async () => {
    expect(await refused(['--profile', 'management', '--write'], elsewhere())).toEqual([
      1,
      'wrong_area: A token of the area management sends no messages: leave out --write.\n',
    ]);
  });

  test('refuses an account beside a token, which has its own', async () => {
    expect(await refused(['--profile', 'sms', '--account', gateway.demo.accountId], elsewhere())).toEqual([
      1,
      'invalid_input: The token of this profile has its own account: leave out --account.\n',
    ]);
  });

  test('says where no gateway runs', async () => {
    expect(await refused([], elsewhere())).toEqual([1, 'No gateway runs here. Start one: npx heliograph start\n']);
  });

  test.each([
    ['a file', []],
    ['a pipe', ['sh', '-c', 'printf "" | "$@"', 'sh']],
  ])('ends by itself at the end of its standard input: %s', async (_what, before) => {
    const { status, stdout } = await startCli(here(), ['mcp'], before).result;
    expect([status, stdout]).toEqual([0, '']);
  });

  test('says how to install the SDK where it is missing', async () => {
    const hooks = join(home, 'without-sdk.mjs');
    await writeFile(hooks, WITHOUT_SDK);
    const [status, stderr] = await refused([], { ...here(), NODE_OPTIONS: `--import "${hooks}"` } as never);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The SDK of MCP is not installed here\. Run: npm install --no-save @modelcontextprotocol\/server@[\d.]+\n$/,
      ),
    ]);
  });
});

/** A build has the SDK inside; the sources look for the package. */
const WITHOUT_SDK = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => {
  if (/dist.server/.test(context.parentURL ?? '') && /serve-/.test(name)) name = '@modelcontextprotocol/none';
  return next(name.startsWith('@modelcontextprotocol/') ? '@modelcontextprotocol/none' : name, context);
} });
`;

test('the entry of a host that the page shows starts it', async () => {
  const page = readPage('docs/clients.md');
  const [entry] = blocksOf(page).filter(({ language, code }) => language === 'json' && code.includes('mcpServers'));
  const shown = entry?.code.replace('/path/to/heliograph', REPOSITORY) ?? '';
  const { command, args } = JSON.parse(shown).mcpServers.heliograph;
  const client = new Client({ name: 'host', version: '1.0.0' });
  const env = { PATH: process.env.PATH ?? '', ...here() };
  await client.connect(new StdioClientTransport({ command, args, env, cwd: home }));
  open.push(client);
  expect(await namesOf(client)).toContain('search_log');
});
