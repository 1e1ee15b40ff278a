import { globSync } from 'node:fs';
import { sep } from 'node:path';
import { Kind, parse, valueFromASTUntyped, visit } from 'graphql';
import { expect, it } from 'vitest';
import { EXAMPLES } from '../../src/cli/examples.ts';
import { examplesOf } from '../../src/cli/help.ts';
import { openApiDocument } from '../../src/rest/openapi/document.ts';
import { routes } from '../../src/rest/routes.ts';
import { REPOSITORY } from '../support/repository.ts';
import { blocksOf, readPage, readPages } from '../support/rules/docs.ts';
import { shellWords } from '../support/rules/shell-words.ts';

/** A request with a reference, as a reader would copy it. */
interface Sample {
  readonly place: string;
  readonly reference: string;
  /** The request, alike for requests that are the same. */
  readonly body: string;
}

/** The objects with a reference and a recipient in a value, at any depth: requests, and no answers, whose recipient has another name. */
function requestsIn(value: unknown, place: string): Sample[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value);
  const { reference, to } = Object.fromEntries(members);
  const own =
    typeof reference === 'string' && typeof to === 'string'
      ? [{ place, reference, body: JSON.stringify(members.sort(([a], [b]) => (a < b ? -1 : 1))) }]
      : [];
  // The same request for the other API is no other body.
  const inside = members.filter(([name]) => name !== 'x-graphql');
  return [...own, ...inside.flatMap(([, inner]) => requestsIn(inner, place))];
}

function requestsInGraphql(text: string, place: string): Sample[] {
  const found: Sample[] = [];
  visit(parse(text), {
    [Kind.OBJECT](node) {
      const value = valueFromASTUntyped(node);
      if (typeof value === 'object' && value !== null && 'reference' in value) found.push(...requestsIn(value, place));
    },
  });
  return found;
}

/** The requests of `curl` and of commands of the command line. */
function requestsInShell(text: string, place: string): Sample[] {
  const bodies = [...text.matchAll(/-d '(\{[^']*\})'/g)].flatMap(([, body = '']) =>
    requestsIn(JSON.parse(body), place),
  );
  const commands = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap(line => {
      const words = shellWords(line);
      const at = words.indexOf('--reference');
      return at < 0 ? [] : [{ place, reference: words[at + 1] ?? '', body: line.trim() }];
    });
  return [...bodies, ...commands];
}

function samples(): Sample[] {
  const pages = readPages().flatMap(page =>
    blocksOf(page).flatMap(({ language, code }) => {
      if (language === 'sh') return requestsInShell(code, page.path);
      return language === 'graphql' ? requestsInGraphql(code, page.path) : [];
    }),
  );
  const playground = globSync('src/dashboard/playground/**/*.graphql', { cwd: REPOSITORY }).flatMap(path =>
    requestsInGraphql(readPage(path.replaceAll(sep, '/')).text, path),
  );
  const help = Object.keys(EXAMPLES).flatMap(name =>
    examplesOf(name.split(' ')).flatMap(line => requestsInShell(line, `--help of ${name}`)),
  );
  return [...pages, ...playground, ...help, ...requestsIn(openApiDocument(routes, '0.0.0'), '/openapi.json')];
}

it('no two samples share a reference with another body: who copies both would be refused with reference_reused', () => {
  const bodies = Map.groupBy(samples(), ({ reference }) => reference);
  expect(bodies.size).toBeGreaterThan(3);
  const shared = [...bodies].filter(([, found]) => new Set(found.map(({ body }) => body)).size > 1);
  expect(shared.map(([reference, found]) => ({ reference, places: found.map(({ place }) => place) }))).toEqual([]);
});
