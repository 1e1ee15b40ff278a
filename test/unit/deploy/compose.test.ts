import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../../src/kernel/settings/settings.ts';
import { REPOSITORY } from '../../support/repository.ts';

interface Service {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
}

const read = (file: string): string => readFileSync(join(REPOSITORY, 'deploy/compose', file), 'utf8');
const { services, volumes } = parse(read('compose.yml'), { merge: true }) as {
  services: Readonly<Record<string, Service>>;
  volumes: object;
};

describe('compose.yml', () => {
  test.each(Object.entries(services))('%s has a root that is read-only, and no capabilities to gain', (_, service) => {
    const { read_only, cap_drop, security_opt } = service;
    expect({ read_only, cap_drop, security_opt }).toEqual({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('sets settings that there are', () => {
    const given = [...read('prepare').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
    const roles = ['api', 'worker'].flatMap(name => Object.keys(services[name]?.environment ?? {}));
    expect(given).toContain('DATABASE_DIRECT_URL');
    expect([...given, ...roles].filter(name => !(name in SETTINGS.shape))).toEqual([]);
  });

  it('gives a gateway longer to stop than it takes', () => {
    expect([services.api, services.worker].map(service => service?.stop_grace_period)).toEqual(['40s', '40s']);
  });

  it('mounts volumes that it makes, and files that are there or that prepare makes', () => {
    const sources = Object.values(services).flatMap(({ volumes: mounts = [] }) =>
      mounts.map(mount => mount.split(':')[0] ?? ''),
    );
    const [files, named] = [
      sources.filter(source => source.startsWith('.')),
      sources.filter(source => !source.startsWith('.')),
    ];
    expect([...new Set(named)].sort()).toEqual(Object.keys(volumes).sort());
    const made = files.filter(file => file.startsWith('./secrets/'));
    expect(made.filter(file => !read('prepare').includes(`>${file.slice(2)}`))).toEqual([]);
    for (const file of files.filter(file => !made.includes(file))) expect(read(file)).not.toBe('');
  });
});
