import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROVIDERS } from '../../src/channels/registry.ts';
import { PARSER, PARSER_SOURCES, PARSERS, PROVIDER_TARGETS } from '../support/fuzz/parsers.ts';
import { TARGETS } from '../support/fuzz/targets.ts';
import { REPOSITORY } from '../support/repository.ts';

const names = TARGETS.map(({ name }) => name);

test('every parser has a target of the fuzzer, or a reason to have none', () => {
  const found = globSync(PARSER_SOURCES, { cwd: REPOSITORY }).flatMap(file =>
    [...readFileSync(join(REPOSITORY, file), 'utf8').matchAll(PARSER)].map(
      ([, name]) => `${file.replaceAll('\\', '/').replace('src/', '')} ${name}`,
    ),
  );
  expect(found.toSorted()).toEqual(Object.keys(PARSERS).toSorted());
});

test('every provider that is called over HTTP has targets of the fuzzer', () => {
  const called = PROVIDERS.filter(({ capabilities }) => capabilities.receipts === 'http').map(({ id }) => id);
  expect(called.toSorted()).toEqual(Object.keys(PROVIDER_TARGETS).toSorted());
});

test('the targets that parsers and providers name exist', () => {
  const named = [
    ...Object.values(PARSERS).filter(value => typeof value !== 'string'),
    ...Object.values(PROVIDER_TARGETS),
  ];
  expect(named.flat().filter(name => !names.includes(name))).toEqual([]);
});
