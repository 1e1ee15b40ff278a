import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepProfile, keptSecret } from '../../../src/cli/gateway/profiles.ts';
import { Refusal } from '../../../src/cli/refusal.ts';

let home: string;

beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'heliograph-home-')), 'file');
  writeFileSync(home, '');
  vi.stubEnv('HOME', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(join(home, '..'), { recursive: true });
});

it.each([
  ['a profile', () => keepProfile('default', { url: 'https://gateway.example.com', token: 'hg_x' })],
  ['a secret', () => keptSecret('listen.secret', () => 'x')],
])('%s that cannot be kept is refused with the folder, and the variable that mends it', (_what, keep) => {
  const folder = join(home, '.config', 'heliograph');
  expect(keep).toThrow(Refusal);
  expect(keep).toThrow(
    `Profiles and secrets are kept in ${folder}, which cannot be written (ENOTDIR). Mend that, or set HOME to another folder.`,
  );
});
