import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { missing } from '../../support/smpp/programs.ts';

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');
const RULES = 'deploy/prometheus/heliograph.rules.yml';
const TESTS = 'deploy/prometheus/heliograph.test.yml';
const rules = read(RULES);
const page = read('docs/monitoring.md');

interface Board {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}
const board = JSON.parse(read('deploy/grafana/heliograph.json')) as Board;

/** Each expression that is asked of Prometheus, by its alert or its panel. */
const EXPRESSIONS: readonly (readonly [name: string, text: string])[] = [
  ...[...rules.matchAll(/alert: (\w+)\n\s+expr: '(.+)'/g)].map(([, name = '', text = '']) => [name, text] as const),
  ...board.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);

/** The metrics of a gateway by their names, each with its labels; a histogram under the names of its parts. */
async function labelsByName(): Promise<ReadonlyMap<string, readonly string[]>> {
  const own = await createMetrics().registry.getMetricsAsJSON();
  const named = own.flatMap(({ name, type }) => {
    const { labelNames = [] } = createdLabels(name);
    const isHistogram = String(type) === 'histogram';
    return (isHistogram ? ['_bucket', '_sum', '_count'] : ['']).map(
      end => [`${name}${end}`, isHistogram ? [...labelNames, 'le'] : labelNames] as const,
    );
  });
  // Prometheus itself makes this one.
  return new Map([...named, ['up', ['job', 'instance']]]);
}

const registry = createMetrics().registry;

function createdLabels(name: string): { readonly labelNames?: readonly string[] } {
  return (registry.getSingleMetric(name) ?? {}) as { labelNames?: readonly string[] };
}

describe('what is asked of Prometheus', () => {
  it('is asked by alerts and panels', () => {
    expect(EXPRESSIONS.length).toBeGreaterThan(alerts.length + 10);
    expect(alerts.length).toBeGreaterThan(10);
  });

  it.each(EXPRESSIONS)('names metrics and labels that a gateway has: %s', async (_name, text) => {
    const known = await labelsByName();
    const metrics = [...text.matchAll(/\b(?:heliograph|process|nodejs)_\w+|\bup\b/g)].map(([name]) => name);
    expect(metrics).not.toEqual([]);
    const unknown = metrics.filter(name => !known.has(name));
    expect(unknown).toEqual([]);
    // Prometheus adds `cell` where its configuration does.
    const labels = new Set(['cell', ...metrics.flatMap(name => [...(known.get(name) ?? [])])]);
    const asked = [
      ...[...text.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
      ...[...text.matchAll(/by \(([\w, ]+)\)/g)].flatMap(([, list = '']) => list.split(', ')),
    ];
    expect(asked.filter(label => !labels.has(label))).toEqual([]);
  });

  it('would not pass with a metric, or a label, that no gateway has', async () => {
    const known = await labelsByName();
    expect(known.has('heliograph_message_total')).toBe(false);
    expect(known.get('heliograph_attempts_total')).toEqual(['channel', 'provider', 'status']);
    expect(known.get('heliograph_commit_duration_seconds_bucket')).toEqual(['batch', 'le']);
  });
});

describe('an alert', () => {
  it('has a runbook each, and there is no other', () => {
    const runbooks = [...page.matchAll(/^### (Heliograph\w+)$/gm)].map(([, name]) => name);
    expect(runbooks).toEqual(alerts);
    for (const name of alerts) expect(rules).toContain(`runbook: docs/monitoring.md#${name.toLowerCase()}\n`);
  });

  it('has a test each of what it is told by, and one that a well gateway tells nothing', () => {
    const tested = [...read(TESTS).matchAll(/alertname: (\w+)/g)].map(([, name = '']) => name);
    expect(tested).toEqual([...alerts, ...alerts]);
  });

  it.skipIf(missing(['prometheus']) !== null)('is told as its test says, by Prometheus itself', async () => {
    const run = promisify(execFile);
    const { stdout } = await run('promtool', ['check', 'rules', join(REPOSITORY, RULES)]);
    expect(stdout).toContain(`${alerts.length} rules found`);
    await expect(run('promtool', ['test', 'rules', join(REPOSITORY, TESTS)])).resolves.toMatchObject({
      stdout: expect.stringContaining('SUCCESS'),
    });
  });
});
