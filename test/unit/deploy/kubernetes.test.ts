import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
