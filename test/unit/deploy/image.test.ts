import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { findImported, makeImageSbom } from '../../../src/build/image-sbom.ts';
import { settleImage } from '../../../src/build/settle-image.ts';
import { SETTINGS } from '../../../src/kernel/settings/settings.ts';
import { REPOSITORY } from '../../support/repository.ts';

const read = (file: string): string => readFileSync(join(REPOSITORY, 'deploy/image', file), 'utf8');
const containerfile = read('Containerfile');

it('both images are configured alike', () => {
  const shared = (text: string): string => /^ARG VERSION.+/ms.exec(text)?.[0] ?? '';
  expect(shared(containerfile)).toContain('ENTRYPOINT');
  expect(shared(read('Dockerfile'))).toBe(shared(containerfile));
});

it('an image starts Node with the flags of npm start', () => {
  const flags = packageJson.scripts.start.split(' ').slice(2);
  const words = ['/usr/local/bin/node', ...flags.slice(0, -1), `/app/${flags.at(-1)}`];
  expect(containerfile).toContain(`ENTRYPOINT [${words.map(word => `"${word}"`).join(', ')}]\n`);
});

it('the scripts of the image name sources that there are', () => {
  const named = ['build', 'check', 'pick', 'Containerfile'].flatMap(
    file => read(file).match(/src\/[\w./-]+\.(json|js|ts)\b/g) ?? [],
  );
  expect(named).toContain('src/kernel/process/built.js');
  expect(named.filter(path => !existsSync(join(REPOSITORY, path)))).toEqual([]);
});

it('an image sets settings that there are', () => {
  const set = (/^ENV (.+)$/m.exec(containerfile)?.[1] ?? '').split(' ').map(pair => pair.split('=')[0] ?? '');
  expect(set).toEqual(['NODE_ENV', 'HOST', 'DATA_DIR']);
  expect(set.filter(name => !(name in SETTINGS.shape))).toEqual([]);
});

it('the packages of an image are those that sources import, of the server and of the pages', () => {
  const imported = [...findImported(REPOSITORY)];
  expect(imported).toEqual(expect.arrayContaining(['pg', 'hono', 'react', '@mantine/core', 'graphiql']));
  expect(imported).not.toContain('vitest');
});

it('the list of an image names bundled packages with what they depend on, Node, and packages of Debian', () => {
  const component = (name: string) => ({
    'bom-ref': name,
    type: 'library',
    name,
    version: '1',
    purl: `pkg:npm/${name}@1`,
  });
  const sbom = {
    metadata: { component: component('heliograph') },
    components: ['pg', 'below', 'vitest'].map(component),
    dependencies: [
      { ref: 'heliograph', dependsOn: ['pg', 'vitest'] },
      { ref: 'pg', dependsOn: ['below'] },
    ],
  };
  const debian = join(REPOSITORY, 'test/fixtures/debian');
  const { components } = JSON.parse(makeImageSbom(sbom, new Set(['pg']), debian, '24.0.0'));
  expect(components.map(({ purl }: { purl: string }) => purl)).toEqual([
    'pkg:npm/pg@1',
    'pkg:npm/below@1',
    'pkg:generic/node@24.0.0',
    'pkg:deb/debian/libc6@2.41-12%2Bdeb13u5?arch=arm64',
  ]);
});

it('archives that differ in the names of a container alone get one digest, and keep their layers', () => {
  const settled = ['one', 'two'].map(chance => {
    const folder = mkdtempSync(join(tmpdir(), 'heliograph-image-'));
    const write = (name: string, value: unknown): void => writeFileSync(join(folder, name), JSON.stringify(value));
    write('manifest.json', [{ Config: 'old.json', RepoTags: ['heliograph:1'], Layers: ['layer.tar'] }]);
    write('old.json', {
      container: chance,
      container_config: {},
      config: { Hostname: chance, User: '1' },
      os: 'linux',
    });
    write('layer.tar', '');
    write('repositories', {});
    const digest = settleImage(folder);
    const [image] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const config = JSON.parse(readFileSync(join(folder, image.Config), 'utf8'));
    const names = readdirSync(folder).sort();
    rmSync(folder, { recursive: true });
    return { digest, image, config, names };
  });
  const [one, two] = settled;
  expect(one).toEqual(two);
  expect(one?.config).toEqual({ config: { User: '1' }, os: 'linux' });
  const file = `${one?.digest.replace('sha256:', '')}.json`;
  expect(one?.image).toEqual({ Config: file, RepoTags: ['heliograph:1'], Layers: ['layer.tar'] });
  expect(one?.names).toEqual([file, 'layer.tar', 'manifest.json'].sort());
});
