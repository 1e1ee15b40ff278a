import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PROVIDERS } from '../../src/channels/registry.ts';
import { ERRORS } from '../../src/kernel/errors.ts';
import { settingsTable } from '../../src/kernel/settings/settings.ts';
import { REPOSITORY } from '../support/repository.ts';
import {
  anchorsOf,
  blocksOf,
  linksOf,
  PART_NAMES,
  type Page,
  partsOf,
  readPage,
  readPages,
  withParts,
} from '../support/rules/docs.ts';

const pages = readPages();
const README = readPage('README.md');

/** The links of a page that lead to nothing. */
function brokenLinks(page: Page): string[] {
  return linksOf(page)
    .filter(({ path, anchor }) => {
      const file = join(REPOSITORY, path);
      if (!existsSync(file)) return true;
      if (anchor === '') return false;
      return statSync(file).isDirectory() || !anchorsOf(readPage(path)).includes(anchor);
    })
    .map(({ written }) => written);
}

describe('the README', () => {
  it('has at most 150 lines', () => {
    expect(README.text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it('holds the two lines that start and test a fresh clone', () => {
    expect(README.text).toContain('\nnpm ci && npm start\n');
    expect(README.text).toContain('\nnpm ci && npm test\n');
  });

  it('links to every page of docs', () => {
    const linked = linksOf(README).map(({ path }) => path);
    expect(linked).toEqual(expect.arrayContaining(pages.map(({ path }) => path).filter(path => path !== 'README.md')));
  });
});

describe.each(pages)('$path', page => {
  it('has no link that leads to nothing', () => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('has each heading once, so that each anchor is one place', () => {
    const anchors = anchorsOf(page);
    expect(anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at)).toEqual([]);
  });

  it('has its generated parts as the sources are', () => {
    expect(withParts(page.text), 'run npm run docs').toBe(page.text);
  });

  it('shows GraphQL that fits the schema', () => {
    const schema = buildSchema(readFileSync(join(REPOSITORY, 'schema.graphql'), 'utf8'));
    const faults = blocksOf(page)
      .filter(({ language }) => language === 'graphql')
      .flatMap(({ code, line }) => validate(schema, parse(code)).map(({ message }) => `line ${line}: ${message}`));
    expect(faults).toEqual([]);
  });
});

it('finds a link to no file, to no heading and into a folder', () => {
  const text =
    '# One\n[a](none.md) [b](#two) [c](#one) [d](../docs#one) [e](https://example.com/#x)\n```sh\n# Two\n```\n';
  expect(brokenLinks({ path: 'docs/rest.md', text })).toEqual(['none.md', '#two', '#one', '../docs#one']);
  expect(linksOf({ path: 'docs/x.md', text }).map(({ path, anchor }) => `${path}#${anchor}`)).toEqual([
    'docs/none.md#',
    'docs/x.md#two',
    'docs/x.md#one',
    'docs#one',
  ]);
  expect(anchorsOf({ path: 'docs/x.md', text })).toEqual(['one']);
});

it('gives each error code one heading in docs/errors.md, so that the last part of a problem type is an anchor there', () => {
  const page = readPage('docs/errors.md');
  const headings = [...page.text.matchAll(/^### (.+)$/gm)].map(match => match[1]);
  expect(headings.sort()).toEqual(Object.keys(ERRORS).sort());
  expect(anchorsOf(page)).toEqual(expect.arrayContaining(Object.keys(ERRORS)));
});

it('describes every setting in docs/operating.md', () => {
  const { text } = readPage('docs/operating.md');
  const missing = settingsTable().filter(({ name }) => !text.includes(`| \`${name}\` |`));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

it.each(PROVIDERS.map(({ id, configSchema }) => ({ id, configSchema })))(
  'describes each member of the config of $id on its page',
  ({ id, configSchema }) => {
    const { text } = readPage(`docs/providers/${id === 'http-sms' ? 'http-gateway' : id}.md`);
    const rows = [...text.matchAll(/^\| (`.+?`) \|/gm)].map(match => match[1] ?? '');
    const members = configSchema instanceof z.ZodObject ? Object.keys(configSchema.shape) : [];
    expect(members.length).toBeGreaterThan(2);
    expect(members.filter(name => !rows.some(row => row.includes(`\`${name}\``)))).toEqual([]);
  },
);

it('has each generated part in one page', () => {
  expect(pages.flatMap(partsOf).sort()).toEqual([...PART_NAMES].sort());
});

it('names only files that exist in docs/architecture.md', () => {
  const { text } = readPage('docs/architecture.md');
  const named = [...text.matchAll(/`((?:src|test|docs)\/[^`\s]+|mikro-orm\.config\.ts)`/g)].map(
    match => match[1] ?? '',
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(path => !path.includes('<') && !existsSync(join(REPOSITORY, path)))).toEqual([]);
});
