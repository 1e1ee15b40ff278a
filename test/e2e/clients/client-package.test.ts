import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/kernel/ids.ts';
import { createWebhookSigner, newWebhookSecret } from '../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { type Gateway, makeFolder, startGateway } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { blocksOf } from '../../support/rules/docs.ts';

const run = promisify(execFile);

/** A project with nothing but the packed client. */
let folder: string;
let gateway: Gateway;
const readme = { path: 'src/client/README.md', text: '' };

beforeAll(async () => {
  gateway = await startGateway();
  folder = await makeFolder();
  readme.text = await readFile(join(REPOSITORY, readme.path), 'utf8');
  const pack = ['pack', '--silent', '-w', '@heliograph/client', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: REPOSITORY });
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const install = ['install', '--offline', '--no-package-lock', join(folder, stdout.trim())];
  await run('npm', install, { cwd: folder, env: { ...process.env, npm_config_cache: join(folder, 'cache') } });
});

const samplesOf = (note: string): string =>
  blocksOf(readme)
    .filter(block => block.language === 'ts' && block.note === note)
    .map(({ code }) => code)
    .join('\n');

/** Checks the types of a file as strictly as a project may, declarations of the package included. */
async function compile(name: string, text: string, ...options: readonly string[]): Promise<void> {
  await writeFile(join(folder, name), text);
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit'];
  const modules = ['--module', 'nodenext', '--target', 'es2022', '--ignoreConfig'];
  await run(process.execPath, [tsc, ...strict, ...modules, ...options, name], { cwd: folder }).catch(
    (error: unknown) => {
      throw new Error(String(Reflect.get(Object(error), 'stdout')));
    },
  );
}

const NODE_TYPES = ['--typeRoots', join(REPOSITORY, 'node_modules/@types'), '--types', 'node'];

/** Runs a file of the project, and answers what it prints. */
async function print(name: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await run(process.execPath, [name], { cwd: folder, env: { PATH: process.env.PATH, ...env } });
  return stdout;
}

test('the package holds its build, and needs no other package', async () => {
  const home = join(folder, 'node_modules/@heliograph/client');
  const { version, dependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  const own = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
  expect({ version, dependencies }).toEqual({ version: own.version, dependencies: undefined });
  expect((await readdir(home)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect((await readdir(join(folder, 'node_modules'))).filter(name => !name.startsWith('.'))).toEqual(['@heliograph']);
  const modules = (await readdir(join(home, 'dist'))).filter(name => name.endsWith('.js'));
  for (const name of modules) expect(await readFile(join(home, 'dist', name), 'utf8')).not.toMatch(/from '(?!\.\/)/);
});

test('the samples of its page compile, and print what it says', async () => {
  await compile('samples.ts', samplesOf(''), ...NODE_TYPES);
  const printed = await print('samples.ts', {
    HELIOGRAPH_URL: gateway.url,
    HELIOGRAPH_TOKEN: gateway.demo?.tokens.unified ?? '',
  });
  const told = blocksOf(readme).filter(({ language }) => language === 'text');
  expect(printed).toBe(told.map(({ code }) => code).join(''));
});

test('the receiver of its page takes what was signed, and refuses what was changed', async () => {
  const secret = newWebhookSecret();
  const [event, accountId, id] = ['message.sent', newId('acc'), newId('evt')];
  const body = JSON.stringify({ id, event, createdAt: new Date().toISOString(), accountId, data: {} });
  const timestamp = Math.floor(Date.now() / 1_000);
  const headers = createWebhookSigner({ current: secret, previous: null })({
    event,
    deliveryId: newId('dlv'),
    timestamp,
    body,
  });
  await compile('receiver.ts', samplesOf('webhook'), ...NODE_TYPES);
  const deliveries = [body, body.replace('message.sent', 'message.failed')].map(
    text => `new Request('http://127.0.0.1', ${JSON.stringify({ method: 'POST', headers, body: text })})`,
  );
  await writeFile(
    join(folder, 'deliver.ts'),
    `import { POST } from './receiver.ts';
for (const delivery of [${deliveries}]) console.log((await POST(delivery)).status);`,
  );
  expect(await print('deliver.ts', { WEBHOOK_SECRET: secret })).toBe(`message.sent ${id}\n204\n400\n`);
});

test('the client compiles without the types of Node', async () => {
  const page = `import { Heliograph } from '@heliograph/client';
new Heliograph({ url: 'https://gateway.example.com', token: 'hg_uni_1' }).sendOtp({ to: '+12025550100' });`;
  await compile('edge.ts', page, '--lib', 'es2022,dom', '--types', '');
});

test.each([
  ['a field that is required is left out', '{ to }', 'text'],
  ['a channel is none', `{ to, text: 'Hello', channels: ['fax'] }`, 'fax'],
  ['a field is none', `{ to, text: 'Hello', sendr: 'DEMO' }`, 'sendr'],
])('a send does not compile where %s', async (_what, input, named) => {
  const sample = `import { Heliograph } from '@heliograph/client';
const to = '+12025550100';
new Heliograph({ url: 'https://gateway.example.com', token: 'hg_uni_1' }).sendMessage(${input});`;
  await expect(compile('wrong.ts', sample, '--lib', 'es2022,dom', '--types', '')).rejects.toThrow(named);
});

test('a document of a generator types its variables and its data', async () => {
  const sample = (member: string) => `import { Heliograph, type TypedDocument } from '@heliograph/client';
declare const document: TypedDocument<{ readonly balance: { readonly credits: number } }, { readonly id: string }>;
const heliograph = new Heliograph({ url: 'https://gateway.example.com', token: 'hg_uni_1' });
heliograph.request(document, { id: 'acc_1' }).then(data => data.${member});`;
  const options = ['--lib', 'es2022,dom', '--types', ''];
  await compile('typed.ts', sample('balance.credits.toFixed()'), ...options);
  await expect(compile('typed.ts', sample('missing'), ...options)).rejects.toThrow('missing');
});
