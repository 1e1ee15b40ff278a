import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/kernel/ids.ts';
import { createWebhookSigner, newWebhookSecret } from '../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { readPage } from '../../support/rules/docs.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

const run = promisify(execFile);
const TSC = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
const CHILD_TIMEOUT_MS = 60_000;
const page = readPage('docs/webhooks.md').text;
const [SECRET, OTHER] = [newWebhookSecret(), newWebhookSecret()];
const PAYLOAD = {
  id: newId('evt'),
  event: 'message.sent',
  createdAt: new Date().toISOString(),
  accountId: newId('acc'),
  data: { text: 'naïve 👋 \u0000 "quoted"' },
};
const BODY = JSON.stringify(PAYLOAD);

/** A project of a receiver: no TypeScript is stripped in it, and it has nothing but `heliograph` in its node_modules. */
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heliograph-receiver-'));
  const home = join(folder, 'node_modules', 'heliograph');
  await mkdir(home, { recursive: true });
  await copyFile(join(REPOSITORY, 'package.json'), join(home, 'package.json'));
  const build = ['-p', join(REPOSITORY, 'tsconfig.webhooks.json'), '--outDir', join(home, 'dist', 'webhooks')];
  await run(process.execPath, [TSC, ...build], { timeout: CHILD_TIMEOUT_MS });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A delivery as a receiver meets it: what was signed, and what came. */
interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function deliver({ offSeconds = 0, previous = null as string | null, body = BODY } = {}): Delivery {
  const timestamp = Math.floor(Date.now() / 1000) + offSeconds;
  const signing = { event: PAYLOAD.event, deliveryId: newId('dlv'), timestamp, body };
  return { headers: createWebhookSigner({ current: SECRET, previous })(signing), body };
}

/** Each snippet must answer these so. Minutes off rather than one second: the clock of the child is the real one. */
const VERDICTS: [string, () => Delivery, boolean][] = [
  ['a good delivery', () => deliver(), true],
  ['a delivery of a rotation', () => deliver({ previous: OTHER }), true],
  ['a changed body', () => ({ ...deliver(), body: BODY.replace('naïve', 'naive') }), false],
  [
    'another delivery id',
    () => ({ ...deliver(), headers: { ...deliver().headers, 'X-Service-Delivery': 'dlv_1' } }),
    false,
  ],
  ['a stale timestamp', () => deliver({ offSeconds: -310 }), false],
  ['a timestamp of the future', () => deliver({ offSeconds: 310 }), false],
];

/** Runs a program in the receiver's folder on a delivery, which it reads as JSON from its standard input; answers what it prints. */
async function feed(program: string, args: string[], input: unknown): Promise<string> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: SECRET },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: CHILD_TIMEOUT_MS,
  });
  child.stdin.end(JSON.stringify(input));
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${errors}`);
  return output;
}

/** The one fenced block of docs/webhooks.md in this language that has to do with webhooks. */
function snippetOf(language: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    match => match[1] ?? '',
  );
  const [snippet, ...more] = blocks.filter(block => /verify_?webhook/i.test(block));
  if (snippet === undefined || more.length > 0)
    throw new Error(`docs/webhooks.md has not one ${language} snippet of webhooks`);
  return snippet;
}

function isInstalled(program: string, versionArg: string): boolean {
  if (spawnSync(program, [versionArg], { timeout: CHILD_TIMEOUT_MS }).status === 0) return true;
  process.stdout.write(`Left out: what needs ${program}, which is not installed here.\n`);
  return false;
}

describe('heliograph/webhooks', () => {
  test('exports the check and its error, and nothing that signs', async () => {
    await writeFile(join(folder, 'names.mjs'), `console.log(Object.keys(await import('heliograph/webhooks')).join());`);
    expect(await feed(process.execPath, ['names.mjs'], null)).toBe('WebhookVerificationError,verifyWebhook\n');
  });

  test('can be required', async () => {
    await writeFile(join(folder, 'names.cjs'), `console.log(typeof require('heliograph/webhooks').verifyWebhook);`);
    expect(await feed(process.execPath, ['names.cjs'], null)).toBe('function\n');
  });

  test('keeps its other files to itself', async () => {
    const source = `import('heliograph/dist/webhooks/webhook-signature.js').catch(({ code }) => console.log(code));`;
    await writeFile(join(folder, 'deep.mjs'), source);
    expect(await feed(process.execPath, ['deep.mjs'], null)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  });

  test('has types that need no other package', async () => {
    const source = `import { verifyWebhook, type WebhookPayload, WebhookVerificationError } from 'heliograph/webhooks';
const payload: WebhookPayload = verifyWebhook({ a: ['b'] }, new Uint8Array(), ['c'], { toleranceSeconds: 1 });
export const id: string = payload.id;
export const name: 'WebhookVerificationError' = new WebhookVerificationError('').name;
export const fetched: WebhookPayload = verifyWebhook({ get: () => null }, '', 'c');
// @ts-expect-error: a parsed body
verifyWebhook({}, payload, 'c');
`;
    await writeFile(join(folder, 'typed.ts'), source);
    const flags = ['--ignoreConfig', '--strict', '--noEmit', '--module', 'nodenext', '--types', '', '--lib', 'es2022'];
    const { stdout } = await run(process.execPath, [TSC, ...flags, 'typed.ts'], {
      cwd: folder,
      timeout: CHILD_TIMEOUT_MS,
    });
    expect(stdout).toBe('');
  });
});

test.each(['js', 'python', 'php'])('the %s snippet of docs/webhooks.md has ten lines at most', language => {
  expect(snippetOf(language).trimEnd().split('\n').length).toBeLessThanOrEqual(10);
});

describe('the Node snippet of docs/webhooks.md', () => {
  beforeAll(async () => {
    // Behind it a server, one request that carries the delivery, and what the receiver made of it.
    const harness = `
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
const { headers, body } = await json(process.stdin);
const taken = [];
async function enqueue(event) { taken.push(event); }
const server = createServer(receive).listen(0, '127.0.0.1', async () => {
  const answer = await fetch('http://127.0.0.1:' + server.address().port, { method: 'POST', headers, body });
  console.log(JSON.stringify({ status: answer.status, taken }));
  server.close();
});
`;
    await writeFile(join(folder, 'receive.mjs'), snippetOf('js') + harness);
  });

  test.each(VERDICTS)('meets %s as it must', async (_delivery, make, good) => {
    const expected = good ? { status: 204, taken: [PAYLOAD] } : { status: 400, taken: [] };
    expect(JSON.parse(await feed(process.execPath, ['receive.mjs'], make()))).toEqual(expected);
  });
});

describe.skipIf(!isInstalled('python3', '--version'))('the Python snippet of docs/webhooks.md', () => {
  beforeAll(async () => {
    const harness = `
import sys
case = json.load(sys.stdin)
try:
    print(json.dumps(verify_webhook(case["headers"], case["body"].encode(), *case["secrets"])))
except ValueError as error:
    print(json.dumps(str(error)))
`;
    await writeFile(join(folder, 'receive.py'), snippetOf('python') + harness);
  });

  test.each(VERDICTS)('meets %s as it must', async (_delivery, make, good) => {
    const answer = JSON.parse(await feed('python3', ['receive.py'], { ...make(), secrets: [SECRET, OTHER] }));
    expect(answer).toEqual(good ? PAYLOAD : expect.stringMatching(/^the (signature differs|timestamp is stale)$/));
  });

  test.each([[[]], [['']], [[OTHER]]])('refuses where its secrets are %j', async secrets => {
    expect(JSON.parse(await feed('python3', ['receive.py'], { ...deliver(), secrets }))).toBe('the signature differs');
  });
});

describe.skipIf(!isInstalled('php', '--version'))('the PHP snippet of docs/webhooks.md', () => {
  beforeAll(async () => {
    const harness = `
$case = json_decode(file_get_contents('php://stdin'), true);
try {
    echo json_encode(verifyWebhook($case['headers'], $case['body'], ...$case['secrets']));
} catch (RuntimeException $error) {
    echo json_encode($error->getMessage());
}
`;
    await writeFile(join(folder, 'receive.php'), `<?php\n${snippetOf('php')}${harness}`);
  });

  test.each(VERDICTS)('meets %s as it must', async (_delivery, make, good) => {
    const answer = JSON.parse(await feed('php', ['receive.php'], { ...make(), secrets: [SECRET, OTHER] }));
    expect(answer).toEqual(good ? PAYLOAD : expect.stringMatching(/^the (signature differs|timestamp is stale)$/));
  });

  test.each([[[]], [['']], [[OTHER]]])('refuses where its secrets are %j', async secrets => {
    expect(JSON.parse(await feed('php', ['receive.php'], { ...deliver(), secrets }))).toBe('the signature differs');
  });
});

describe.skipIf(!isInstalled('openssl', 'version'))('openssl', () => {
  test('makes the signature of X-Service-Signature, with the command of docs/webhooks.md', async () => {
    const command = /`(printf [^`]*openssl[^`]*)`/.exec(page)?.[1] ?? '';
    const check = fc.asyncProperty(fc.string({ unit: 'binary' }), async garbage => {
      // A variable of a shell holds no NUL and no half of a pair; JSON writes both as escapes.
      const body = JSON.stringify({ ...PAYLOAD, data: { garbage } });
      const { headers } = deliver({ body });
      const {
        'X-Service-Delivery': DELIVERY,
        'X-Service-Timestamp': TIMESTAMP,
        'X-Service-Signature': claimed,
      } = headers;
      const env = { PATH: process.env.PATH, DELIVERY, TIMESTAMP, BODY: body, SECRET };
      const { stdout } = await run('sh', ['-c', command], { env, timeout: CHILD_TIMEOUT_MS });
      expect(`sha256=${/[0-9a-f]{64}$/.exec(stdout.trim())?.[0]}`).toBe(claimed);
    });
    await assertProperty(check, { numRuns: rounds({ usual: 20, long: 60 }) });
  });
});
