import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../../src/kernel/settings/settings.ts';
import { REPOSITORY } from '../../support/repository.ts';

const FOLDER = join(REPOSITORY, 'deploy/kubernetes');
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

interface Probe {
  readonly httpGet: { readonly path: string };
}

interface Container {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly securityContext: object;
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly securityContext: object;
        readonly terminationGracePeriodSeconds: number;
        readonly initContainers: readonly Container[];
        readonly containers: readonly Container[];
      };
    };
  };
}

const deploymentOf = (role: string) => (parse(read(`${role}.yaml`)) as Deployment).spec.template;
const documentsOf = (text: string) =>
  parseAllDocuments(text).map(document => document.toJS() as { kind: string; metadata: { name: string } });
const podsOf = (role: string) => deploymentOf(role).spec;
const kustomization = parse(read('kustomization.yaml')) as {
  resources: readonly string[];
  configMapGenerator: readonly [{ literals: readonly string[] }];
};

describe.each(['api', 'worker'])('the Deployment of the role %s', role => {
  it('is closed as the restricted standard of pods asks', () => {
    const { securityContext, initContainers, containers } = podsOf(role);
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const container of [...initContainers, ...containers])
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  it('sets the role, and waits for a stop longer than it takes', () => {
    const { containers, terminationGracePeriodSeconds } = podsOf(role);
    expect(containers[0]?.env).toEqual([{ name: 'ROLE', value: role }]);
    expect(terminationGracePeriodSeconds).toBe(45);
  });

  it('probes the paths of health', () => {
    const [gateway] = podsOf(role).containers;
    const probes = [gateway?.startupProbe, gateway?.livenessProbe, gateway?.readinessProbe];
    expect(probes.map(probe => probe?.httpGet.path)).toEqual(['/healthz', '/healthz', '/readyz']);
  });

  it('migrates before it starts', () => {
    expect(podsOf(role).initContainers.map(({ args }) => args)).toEqual([['cli', 'migrate']]);
  });
});

it('both Deployments differ in their role alone', () => {
  expect(read('worker.yaml').replaceAll(/\bworker\b/g, 'api')).toBe(read('api.yaml'));
});

test('the settings of ConfigMap and Secret are settings that there are', () => {
  const literals = kustomization.configMapGenerator[0].literals.map(literal => literal.split('=')[0] ?? '');
  const { stringData } = parse(read('secret.example.yaml')) as { stringData: object };
  const names = [...literals, ...Object.keys(stringData)];
  expect(names).toContain('SECRET_KEY');
  expect(names.filter(name => !(name in SETTINGS.shape))).toEqual([]);
});

it('each selector selects the pods of a Deployment', () => {
  const labels = ['api', 'worker'].map(role => deploymentOf(role).metadata.labels);
  const selectors = kustomization.resources.flatMap(file =>
    [...read(file).matchAll(/(?:selector|matchLabels): \{ (.+) \}/g)].map(([, pairs = '']) => parse(`{ ${pairs} }`)),
  );
  expect(selectors.length).toBeGreaterThan(6);
  for (const selector of selectors.filter(found => 'app.kubernetes.io/name' in found))
    expect(labels).toContainEqual(selector);
});

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The manifests, each a document, without the one that only kustomize reads. */
const manifests: readonly Manifest[] = readdirSync(FOLDER)
  .filter(file => file !== 'kustomization.yaml')
  .flatMap(file => parseAllDocuments(read(file)).map(document => document.toJS() as Manifest));

const TSC = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
const TYPES = join(REPOSITORY, 'node_modules/kubernetes-types');

/** Checks manifests as literals of the types of what Kubernetes publishes about its API. @throws Error with what is wrong */
async function checkTypes(checked: readonly Manifest[]): Promise<void> {
  const lines = checked.map((manifest, index) => {
    const [version, group = 'core'] = manifest.apiVersion.split('/').reverse();
    const from = JSON.stringify(join(TYPES, group.replace('.k8s.io', ''), String(version)));
    return `import type { ${manifest.kind} as Kind${index} } from ${from};
export const manifest${index}: Kind${index} = ${JSON.stringify(manifest, null, 2)};\n`;
  });
  const folder = await mkdtemp(join(tmpdir(), 'heliograph-kubernetes-'));
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'preserve'];
  try {
    await writeFile(join(folder, 'manifests.ts'), lines.join(''));
    await promisify(execFile)(process.execPath, [TSC, ...options, 'manifests.ts'], { cwd: folder });
  } catch (error) {
    throw new Error(String(Reflect.get(Object(error), 'stdout')));
  } finally {
    await rm(folder, { recursive: true });
  }
}

it('every manifest is of the types of Kubernetes 1.30', async () => {
  expect(manifests.map(({ kind }) => kind).sort()).toEqual([
    'Deployment',
    'Deployment',
    'NetworkPolicy',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'PodDisruptionBudget',
    'Secret',
    'Service',
  ]);
  await checkTypes(manifests);
});

it.each([
  [
    'a key that is none',
    'readOnlyRootFilesystem',
    'readOnlyRootFileSystem',
    `'"readOnlyRootFileSystem"' does not exist`,
  ],
  ['a value of another type', 'replicas: 2', 'replicas: "two"', "'string' is not assignable to type 'number'"],
  ['a kind that the version has not', 'apps/v1', 'v1', "has no exported member 'Deployment'"],
])('%s is refused', async (_what, right, wrong, said) => {
  const spoilt = parse(read('api.yaml').replace(right, wrong)) as Manifest;
  await expect(checkTypes([spoilt])).rejects.toThrow(said);
});

const kubectl = spawnSync('kubectl', ['kustomize', FOLDER], { encoding: 'utf8' });
if (kubectl.error) process.stdout.write('kubernetes.test.ts: kubectl is not installed, so kustomize is left out.\n');

it.skipIf(kubectl.error)('kustomize makes every object, under the names that Pods refer to', () => {
  expect(kubectl.stderr).toBe('');
  const objects = documentsOf(kubectl.stdout).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const [config = ''] = objects.filter(object => object.startsWith('ConfigMap '));
  expect(objects.filter(object => object !== config).sort()).toEqual([
    'Deployment heliograph-api',
    'Deployment heliograph-worker',
    'NetworkPolicy heliograph-api',
    'NetworkPolicy heliograph-worker',
    'PodDisruptionBudget heliograph-api',
    'PodDisruptionBudget heliograph-worker',
    'Service heliograph',
  ]);
  expect(kubectl.stdout.split(`name: ${config.replace('ConfigMap ', '')}`)).toHaveLength(1 + 1 + 4);
});
