/**
 * `npm run pack -- <folder>`: the packed gateway, which an installation starts from. Its build holds nearly all packages, so its manifest
 * names those alone that are loaded from `node_modules` (decision 163). `npm pack` by itself would have all installed once more.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UNBUNDLED } from './build-server.ts';

type Manifest = Readonly<Record<string, unknown>> & { readonly dependencies: Readonly<Record<string, string>> };

/** The manifest of the packed gateway: without the packages of its build and without what makes one. */
export function packedManifest(manifest: Manifest): Manifest {
  const {
    scripts: _run,
    devDependencies: _build,
    workspaces: _client,
    overrides: _pins,
    allowScripts: _allowed,
    ...kept
  } = manifest;
  const dependencies = Object.entries(manifest.dependencies).filter(([name]) => UNBUNDLED.includes(name));
  return { ...kept, dependencies: Object.fromEntries(dependencies) };
}

/** Packs the tree, which is built. Answers the path of the file. */
export function pack(destination: string): string {
  const work = mkdtempSync(join(tmpdir(), 'heliograph-pack-'));
  try {
    const tree = npmPack(process.cwd(), work);
    execFileSync('tar', ['-xzf', tree, '-C', work]);
    const folder = join(work, 'package');
    const file = join(folder, 'package.json');
    const manifest = packedManifest(JSON.parse(readFileSync(file, 'utf8')));
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
    return npmPack(folder, resolve(destination));
  } finally {
    rmSync(work, { recursive: true });
  }
}

function npmPack(folder: string, destination: string): string {
  // `prepare` would build the tree again.
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', destination];
  return join(destination, execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }).trim());
}

if (import.meta.main) process.stdout.write(`${pack(process.argv[2] ?? '.')}\n`);
