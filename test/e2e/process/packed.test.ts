import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPrivateJson } from '../../../src/db/data-dir/private-file.ts';
import { type Demo, makeFolder, send, until } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';

const run = promisify(execFile);

/** A project with nothing but the packed gateway. */
let folder: string;
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

beforeAll(async () => {
  folder = await makeFolder();
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const [packed, pglite] = await Promise.all([
    run('npm', ['run', '-s', 'pack', '--', folder], { cwd: REPOSITORY }),
    run('npm', pack, { cwd: join(REPOSITORY, 'node_modules/@electric-sql/pglite') }),
  ]);
  // The registry would bring PGlite; Node is that of the test.
  const files = [join(folder, pglite.stdout.trim()), packed.stdout.trim()];
  const install = [
    'install',
    '--offline',
    '--omit=optional',
    '--no-audit',
    '--no-fund',
    '--cache',
    join(folder, 'cache'),
  ];
  await run('npm', [...install, ...files], { cwd: folder });
});

const env = () => ({
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  HOME: folder,
  PORT: '0',
  EMBEDDED_DURABILITY: 'relaxed',
});

/** Starts the gateway, and resolves with its address. @throws Error with its output if it ends before */
function start() {
  const child = spawn('npx', ['heliograph', 'start'], { cwd: folder, env: env(), stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
    const [, listens] = /^Heliograph listens on (\S+)/m.exec(said) ?? [];
    if (listens !== undefined) resolve(listens);
  });
  child.once('exit', status => reject(new Error(`ended with ${status}: ${said}`)));
  return { url, stop: () => child.kill('SIGTERM') };
}

const ask = async (...args: string[]) =>
  (await run('npx', ['heliograph', ...args], { cwd: folder, env: env() })).stdout;

test('the packed gateway needs the embedded database alone beside it: it sends, answers commands and an assistant, ends on SIGTERM, and leaves its data where it was started', async () => {
  const gateway = start();
  const url = await gateway.url;
  const { tokens } = readPrivateJson(join(folder, '.data'), 'demo.json') as Demo;
  const { body } = await send({ url }, tokens.unified);
  expect(body.data?.status).toBe('sent');
  for (const path of ['dashboard', 'docs']) expect((await fetch(`${url}/${path}`)).status).toBe(200);
  const id = body.data?.messageId;
  expect(JSON.parse(await ask('message', 'show', String(id), '--json'))).toMatchObject({ messageId: id });
  expect(JSON.parse(await ask('doctor', '--json'))).toMatchObject({ status: 'ok' });
  const client = new Client({ name: 'host', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command: 'npx', args: ['heliograph', 'mcp'], env: env(), cwd: folder }),
  );
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('search_log');
  await client.close();
  gateway.stop();
  await until('the gateway has ended', () =>
    fetch(url).then(
      () => null,
      () => true,
    ),
  );
  // The command opens the database itself.
  expect(JSON.parse(await ask('account', 'list', '--json'))).toMatchObject([{ name: 'demo' }]);
});

test('an installation of the packed gateway adds the embedded database and Node, within 120 MB beside Node', async () => {
  const modules = join(folder, 'node_modules');
  const manifest = JSON.parse(await readFile(join(modules, 'heliograph/package.json'), 'utf8'));
  expect(Object.keys(manifest.optionalDependencies).every(name => name.startsWith('node-'))).toBe(true);
  expect((await readdir(modules)).filter(name => !name.startsWith('.')).sort()).toEqual([
    '@electric-sql',
    'heliograph',
  ]);
  const { stdout } = await run('du', ['-sk', modules]);
  expect(Number.parseInt(stdout, 10)).toBeLessThan(120 * 1024);
});

test('the receiver of webhooks is imported from the packed gateway', async () => {
  const script = `import * as receiver from 'heliograph/webhooks'; console.log(Object.keys(receiver).join(' '));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
  expect(stdout).toContain('verifyWebhook');
});

test('the packed gateway says the license of each package in its bundle and its pages, and none asks for the source', async () => {
  const read = (part: string) => readFile(join(folder, 'node_modules/heliograph/dist', part, 'licenses.md'), 'utf8');
  const [server, pages] = await Promise.all([read('server'), read('pages')]);
  for (const name of ['graphql-yoga', '@mikro-orm/core', '@opentelemetry/api'])
    expect(server).toContain(`## ${name} - `);
  // The last one is inside a web worker alone.
  for (const name of ['react', '@mantine/core', 'graphiql', 'picomatch-browser'])
    expect(pages).toContain(`## ${name} - `);
  const headings = `${server}${pages}`.match(/^## .*$/gm) ?? [];
  expect(headings.filter(heading => !/\(.+\)$/.test(heading) || /GPL/i.test(heading))).toEqual([]);
});
