import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { SETTINGS } from '../../../src/kernel/settings/settings.ts';
import { REPOSITORY } from '../../support/repository.ts';

const SERVICE = join(REPOSITORY, 'deploy/systemd/heliograph.service');
const service = readFileSync(SERVICE, 'utf8');

/** Whether systemd's own analysis is installed; says that its test is left out where it is not. */
function hasAnalysis(): boolean {
  const { status, stdout } = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
  const isThere = status === 0 && Number(/systemd (\d+)/.exec(stdout)?.[1]) >= 252;
  if (!isThere) process.stdout.write('systemd.test.ts: systemd 252 is not installed, so its analysis is left out.\n');
  return isThere;
}

it('starts Node with the flags of npm start', () => {
  const flags = packageJson.scripts.start.split(' ').slice(2);
  expect(service).toContain(
    `ExecStart=/usr/bin/node ${flags.slice(0, -1).join(' ')} /opt/heliograph/node_modules/heliograph/${flags.at(-1)}\n`,
  );
});

it('sets settings that there are', () => {
  const set = [...(/^Environment=(.+)$/m.exec(service)?.[1]?.matchAll(/(\w+)=\S+/g) ?? [])].map(([, name]) => name);
  expect(set).toEqual(['NODE_ENV', 'DATA_DIR', 'PROCESSES']);
  expect(set.filter(name => !(String(name) in SETTINGS.shape))).toEqual([]);
});

it.skipIf(!hasAnalysis())('is exposed by 2 of 10 at most, as systemd counts', async () => {
  const analyze = promisify(execFile);
  const args = ['security', '--offline=true', '--no-pager'];
  // In tenths; the command fails above.
  const { stdout } = await analyze('systemd-analyze', [...args, '--threshold=20', SERVICE]);
  expect(stdout).toContain('Overall exposure level for heliograph.service: 1.4 OK');
  await expect(analyze('systemd-analyze', [...args, '--threshold=12', SERVICE])).rejects.toThrow('Command failed');
});
