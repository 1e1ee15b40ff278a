import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { type Gateway, makeFolder, startGateway } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';

const run = promisify(execFile);

let gateway: Gateway;
let folder: string;

/** Makes the types of a client from the document of the gateway, as its users do. */
beforeAll(async () => {
  gateway = await startGateway();
  folder = await makeFolder();
  await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  // The generator asks TypeScript to print, which TypeScript 7 no longer offers.
  await writeFile(join(folder, 'typescript-5.js'), TYPESCRIPT_5);
  await writeFile(join(folder, 'generate.js'), GENERATE);
  await run(process.execPath, ['--import', './typescript-5.js', 'generate.js', `${gateway.url}/openapi.json`], {
    cwd: folder,
  });
});

const TYPESCRIPT_5 = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context) });
`;

const GENERATE = `import { writeFileSync } from 'node:fs';
import generate, { astToString } from 'openapi-typescript';
const document = await (await fetch(process.argv[2])).json();
writeFileSync('api.d.ts', astToString(await generate(document)));
`;

/** Calls every operation with what is required, and nothing else. */
const CLIENT = `import createClient from 'openapi-fetch';
import type { paths, webhooks } from './api.d.ts';

const tokens = JSON.parse(process.env.TOKENS ?? '') as Record<'unified' | 'sms' | 'otp', string>;
const as = (area: keyof typeof tokens) =>
  createClient<paths>({ baseUrl: process.env.URL ?? '', headers: { authorization: \`Bearer \${tokens[area]}\` } });
const [unified, sms, otp] = [as('unified'), as('sms'), as('otp')];
const to = '+12025550100';

const answers = [
  await unified.POST('/api/omni/send', { body: { to, text: 'Quiet harbour', sender: 'DEMO' } }),
  await unified.POST('/api/omni/otp/send', { body: { to } }),
  await unified.POST('/api/omni/otp/verify', { body: { pinId: 'pin_1', pin: '123456' } }),
  await unified.GET('/api/omni/logs'),
  await sms.POST('/api/sms/send', { body: { to, text: 'Quiet harbour', sender: 'DEMO' } }),
  await otp.POST('/api/sms/otp/send', { body: { to } }),
  await otp.POST('/api/sms/otp/verify', { body: { pinId: 'pin_1', pin: '123456' } }),
  await otp.GET('/api/sms/otp/logs'),
  await unified.POST('/plants', { body: { id: 1, name: 'Fern' } }),
];

const sent = answers[0];
const event: webhooks['otp.failed']['post']['requestBody']['content']['application/json']['event'] = 'otp.failed';
const verified = await unified.POST('/api/omni/otp/verify', { body: { pinId: 'pin_1', pin: '1' } });
// The codes of a failure are those of the path.
const code: 'otp_not_found' | undefined = verified.response.status === 404 ? notFound(verified.error) : undefined;

function notFound(error: typeof verified.error): 'otp_not_found' | undefined {
  return error?.code === 'otp_not_found' ? error.code : undefined;
}

console.log(JSON.stringify({ statuses: answers.map(({ response }) => response.status), event, code, message: sent && 'data' in sent }));
`;

async function compile(client: string): Promise<void> {
  await writeFile(join(folder, 'client.ts'), client);
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noEmit',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
  ];
  const modules = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, ...options, ...modules, 'client.ts'], { cwd: folder }).catch((error: unknown) => {
    throw new Error(String(Reflect.get(Object(error), 'stdout')));
  });
}

test('a client compiles with the required fields alone, and works', async () => {
  await compile(CLIENT);
  const tokens = JSON.stringify(gateway.demo?.tokens);
  const { stdout } = await run(process.execPath, ['client.ts'], {
    cwd: folder,
    env: { PATH: process.env.PATH, URL: gateway.url, TOKENS: tokens },
  });
  expect(JSON.parse(stdout)).toEqual({
    statuses: [200, 200, 404, 200, 200, 200, 404, 200, 200],
    event: 'otp.failed',
    code: 'otp_not_found',
    message: true,
  });
});

test.each([
  ['a field that is required is left out', `{ to, text: 'Quiet harbour', sender: 'DEMO' }`, '{ to }', 'text'],
  ['a channel is none', `sender: 'DEMO' }`, `channels: ['fax'] }`, 'fax'],
])('a client does not compile where %s', async (_what, right, wrong, named) => {
  await expect(compile(CLIENT.replace(right, wrong))).rejects.toThrow(named);
});
