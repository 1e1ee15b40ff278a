import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { freePort } from '../../support/processes/free-ports.ts';
import { type Demo, makeFolder, send, until } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { missing, type Program, startProgram } from '../../support/smpp/programs.ts';

/** The part of an image's configuration that says how it is run. */
interface Config {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly [string, ...string[]];
  readonly Healthcheck: { readonly Test: readonly [string, string, ...string[]] };
  readonly Labels: Readonly<Record<string, string>>;
  readonly Volumes: Readonly<Record<string, object>>;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const BUILD_TIMEOUT_MS = 600_000;
const READY_TIMEOUT_MS = 240_000;

const run = promisify(execFile);

/** Why no image is made here, printed once; null: one is. */
function whyLeft(): string | null {
  if (process.getuid?.() === 0) return missing(['buildah', 'binutils', 'runc']);
  process.stdout.write('image.test.ts: the image is left out, as root alone makes it.\n');
  return 'not root';
}

// In this order, for the last one ends the container.
describe.skipIf(whyLeft() !== null)('the image', { shuffle: false }, () => {
  /** Of the container. */
  const id = `heliograph-${crypto.randomUUID()}`;
  let port: number;
  let volume: string;
  let built: { readonly megabytes: number; readonly packages: readonly { readonly name: string }[] };
  let config: Config;
  let container: Program;

  beforeAll(async () => {
    const folder = await makeFolder();
    const build = ['--out', folder, ARCHITECTURES[process.arch] ?? process.arch];
    const { stdout } = await run(join(REPOSITORY, 'deploy/image/build'), build);
    const [list = '', archive = ''] = (await readdir(folder)).toSorted();
    const { components } = await readJson(join(folder, list));
    built = { megabytes: Number(/ (\d+) MB /.exec(stdout)?.[1]), packages: components };
    await run('tar', ['-xzf', join(folder, archive), '-C', folder]);
    const [image] = await readJson(join(folder, 'manifest.json'));
    config = (await readJson(join(folder, image.Config))).config;
    const bundle = join(folder, 'bundle');
    volume = join(folder, 'volume');
    await mkdir(join(bundle, 'rootfs'), { recursive: true });
    for (const layer of image.Layers) await run('tar', ['-xpf', join(folder, layer), '-C', join(bundle, 'rootfs')]);
    await startContainer(bundle);
  }, BUILD_TIMEOUT_MS + READY_TIMEOUT_MS);
  afterAll(async () => {
    await run('runc', ['delete', '--force', id]);
    await container?.[Symbol.asyncDispose]();
  });

  /** Starts it as `docker run --read-only --cap-drop ALL --security-opt no-new-privileges` does, in the network of this machine. */
  async function startContainer(bundle: string): Promise<void> {
    const [uid = -1, gid = -1] = config.User.split(':').map(Number);
    await mkdir(volume);
    await chown(volume, uid, gid);
    port = await freePort();
    const settings = [
      `PORT=${port}`,
      'SANDBOX=on',
      `SECRET_KEY=${Buffer.alloc(32, 7).toString('base64')}`,
      `OPERATOR_TOKEN=${'o'.repeat(40)}`,
    ];
    const mounts = Object.keys(config.Volumes).map(path => ({
      destination: path,
      type: 'bind',
      source: volume,
      options: ['bind', 'rw', 'nosuid', 'nodev', 'noexec'],
    }));
    // https://github.com/opencontainers/runtime-spec/blob/v1.0.2/config.md
    const spec = {
      ociVersion: '1.0.2',
      process: {
        user: { uid, gid },
        args: config.Entrypoint,
        cwd: '/',
        env: [...config.Env, ...settings],
        capabilities: {},
        noNewPrivileges: true,
      },
      root: { path: 'rootfs', readonly: true },
      mounts: [
        { destination: '/proc', type: 'proc', source: 'proc' },
        { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
        ...mounts,
      ],
      linux: { namespaces: ['pid', 'ipc', 'uts', 'mount'].map(type => ({ type })) },
    };
    await writeFile(join(bundle, 'config.json'), JSON.stringify(spec));
    container = startProgram('runc', ['run', '--bundle', bundle, id]);
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok || null;
    await Promise.race([until('the container is ready', isReady, READY_TIMEOUT_MS), container.broken]);
  }

  const inside = (...command: readonly string[]) =>
    run('runc', ['exec', '--user', config.User, '--env', `PORT=${port}`, id, ...command]);

  test('is small, says its version, and lists its packages', () => {
    expect(built.megabytes).toBeLessThanOrEqual(160);
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Heliograph',
      'org.opencontainers.image.version': packageJson.version,
    });
    expect(built.packages.map(({ name }) => name)).toEqual(expect.arrayContaining(['pg', 'hono', 'libc6', 'node']));
  });

  test('runs as a user without rights, and as the first process', async () => {
    const { pid } = JSON.parse((await run('runc', ['state', id])).stdout);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(/^Uid:(\t65532){4}$/m);
    expect(status).toMatch(/^Gid:(\t65532){4}$/m);
    expect(status).toMatch(/^NSpid:\t\d+\t1$/m);
    expect(status.match(/^Cap\w+:\t0{16}$/gm)).toHaveLength(5);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    await expect(inside('/bin/sh', '-c', 'true')).rejects.toThrow('no such file');
  });

  test('writes to its volume alone', async () => {
    const script = `for (const file of ['/x', '/tmp/x', '/app/x', '/data/x'])
      try { fs.writeFileSync(file, ''); console.log(file); } catch ({ code }) { console.log(code); }`;
    const { stdout } = await inside(config.Entrypoint[0], '-e', script);
    expect(stdout.trim().split('\n')).toEqual(['EROFS', 'EROFS', 'EROFS', '/data/x']);
  });

  test('is found healthy by its own check, and elsewhere is not', async () => {
    const [how, ...check] = config.Healthcheck.Test;
    expect(how).toBe('CMD');
    await inside(...check);
    const elsewhere = ['exec', '--user', config.User, '--env', 'PORT=1', id, ...check];
    await expect(run('runc', elsewhere)).rejects.toMatchObject({ code: 1 });
  });

  test('has the command line, which finds nothing broken', async () => {
    const { stdout } = await inside('heliograph', 'doctor', '--json');
    const { status, findings } = JSON.parse(stdout);
    // Plain HTTP, and the sandbox.
    expect(status).toBe('warning');
    expect(findings).toContainEqual(expect.objectContaining({ name: 'database.writing', status: 'ok' }));
  });

  test('sends, and ends with status 0 on SIGTERM', async () => {
    const { tokens }: Demo = await readJson(join(volume, 'heliograph/demo.json'));
    const { body } = await send({ url: `http://127.0.0.1:${port}` }, tokens.unified);
    expect(body.data?.status).toBe('sent');
    const exited = once(container.child, 'exit');
    await run('runc', ['kill', id, 'TERM']);
    expect(await exited).toEqual([0, null]);
  });
});

async function readJson(file: string) {
  return JSON.parse(await readFile(file, 'utf8'));
}
