import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/repository.ts';
import type { ProbeReport } from '../support/rules/import-probe.ts';
import { readSources } from '../support/rules/sources.ts';

const PROBE = join(REPOSITORY, 'test/support/rules/import-probe.ts');
const EXIT_TIMEOUT_MS = 150_000;
/** These start something when they are run, which is what they are for. */
const ENTRIES = [
  'src/main.ts',
  'src/heliograph.js',
  'src/start.js',
  'src/cli/main.ts',
  'src/channels/chat-qr/driver/main.ts',
];

/** Modules that do something at their import, and what is said of each. */
const BAD: readonly (readonly [name: string, source: string, fault: string])[] = [
  ['reads-env', 'export const port = process.env.PORT;', 'reads the environment (PORT)'],
  ['copies-env', 'export const all = { ...process.env };', 'reads the environment (all of it)'],
  ['reads-file', `import { readFileSync } from 'node:fs';\nreadFileSync('/etc/hostname');`, 'uses a file'],
  ['writes-file', `import { writeFileSync } from 'node:fs';\nwriteFileSync('written', '');`, 'does not load'],
  ['writes-later', `import { mkdir } from 'node:fs/promises';\nmkdir('made').catch(() => 0);`, 'uses a file (mkdir)'],
  ['listens', `import { createServer } from 'node:http';\ncreateServer().listen(0).unref();`, 'listens'],
  ['connects', `import { connect } from 'node:net';\nconnect(1, '127.0.0.1').on('error', () => 0);`, 'connects'],
  ['fetches', `await fetch('http://127.0.0.1:65535/').catch(() => 0);`, 'connects'],
  ['starts-process', `import { execFileSync } from 'node:child_process';\nexecFileSync('true');`, 'does not load'],
  ['throws', `throw new Error('no settings');`, 'does not load: no settings'],
];

interface Probed {
  /** The signal that ended the process; null where it ended by itself. */
  signal: NodeJS.Signals | null;
  output: string;
  report: ProbeReport;
}

async function probe(folder: string, modules: string[]): Promise<Probed> {
  const args = ['--permission', '--allow-fs-read=*', PROBE, folder, ...modules];
  const child = spawn(process.execPath, args, {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: EXIT_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const [output, errors, [, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const last = output.trim().split('\n').at(-1);
  if (!last) throw new Error(`the probe printed nothing (signal ${signal}): ${errors}`);
  const report: ProbeReport = JSON.parse(last);
  return { signal, output: output + errors, report };
}

it('every server module can be imported with an empty environment and does nothing by it', {
  timeout: 180_000,
}, async () => {
  const modules = [...readSources().keys()].filter(
    path => path.startsWith('src/') && !path.startsWith('src/dashboard/') && !ENTRIES.includes(path),
  );
  const { signal, output, report } = await probe(
    join(REPOSITORY, 'src'),
    modules.map(path => join(REPOSITORY, path)),
  );
  expect(report).toEqual({ imported: modules.length, faults: [], handles: [] });
  expect(signal).toBeNull();
  expect(output.trim().split('\n'), 'nothing is printed at import').toHaveLength(1);
});

describe('the check of import safety', () => {
  let folder = '';
  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'heliograph-imports-')), 'src');
    await mkdir(folder);
  });
  afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }));

  async function probeSamples(samples: readonly (readonly [name: string, source: string, ...rest: unknown[]])[]) {
    const paths = samples.map(([name]) => join(folder, `${name}.ts`));
    for (const [index, [, source]] of samples.entries()) await writeFile(paths[index] ?? '', source);
    return probe(folder, paths);
  }

  it('notices each module that does something', async () => {
    const { report } = await probeSamples(BAD);
    for (const [name, , fault] of BAD)
      expect(report.faults).toContainEqual(expect.stringContaining(`src/${name}.ts: ${fault}`));
  });

  it('notices a timer that is left running', async () => {
    const { report } = await probeSamples([['leaves-timer', 'setTimeout(() => 0, 100);']]);
    expect(report.handles).toEqual(['Timeout']);
  });

  it('has nothing against a module that does nothing', async () => {
    const { report, signal } = await probeSamples([['harmless', `export { readFileSync } from 'node:fs';`]]);
    expect({ report, signal }).toEqual({ report: { imported: 1, faults: [], handles: [] }, signal: null });
  });
});
