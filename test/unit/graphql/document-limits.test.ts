import fc from 'fast-check';
import { type DocumentNode, type FragmentDefinitionNode, Kind, parse, type SelectionSetNode } from 'graphql';
import { expect, test } from 'vitest';
import { DOCUMENT_LIMITS, weighDocument } from '../../../src/graphql/server/document-limits.ts';
import { assertProperty, runs } from '../../support/runner/properties.ts';

interface Weight {
  depth: number;
  aliases: number;
  directives: number;
  rootFields: number;
}

/** The weight of a selection when every fragment is written out where it is spread. */
function writtenOut(selection: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): Weight {
  const sum: Weight = { depth: 0, aliases: 0, directives: 0, rootFields: 0 };
  for (const node of selection.selections) {
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : undefined;
    const inner = node.kind === Kind.FRAGMENT_SPREAD ? fragment?.selectionSet : node.selectionSet;
    const of = inner ? writtenOut(inner, fragments) : { depth: 0, aliases: 0, directives: 0, rootFields: 0 };
    const isField = node.kind === Kind.FIELD;
    sum.depth = Math.max(sum.depth, of.depth + (isField ? 1 : 0));
    sum.aliases += of.aliases + (isField && node.alias ? 1 : 0);
    sum.directives += of.directives + (node.directives?.length ?? 0) + (fragment?.directives?.length ?? 0);
    sum.rootFields += isField ? 1 : of.rootFields;
  }
  return sum;
}

function isWithin(document: DocumentNode): boolean {
  const fragments = new Map(
    document.definitions.flatMap(node => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
  return document.definitions.every(node => {
    if (node.kind !== Kind.OPERATION_DEFINITION) return true;
    const weight = writtenOut(node.selectionSet, fragments);
    return (
      weight.depth <= DOCUMENT_LIMITS.depth &&
      weight.aliases <= DOCUMENT_LIMITS.aliases &&
      weight.directives <= DOCUMENT_LIMITS.directives &&
      weight.rootFields <= DOCUMENT_LIMITS.rootFields
    );
  });
}

const FRAGMENTS = 4;

/** Selections that spread fragments of higher numbers only, so that none is in a circle. */
const selectionFrom = (first: number): fc.Arbitrary<string> =>
  fc.letrec<{ selection: string; node: string }>(tie => ({
    selection: fc.array(tie('node'), { minLength: 1, maxLength: 4 }).map(nodes => `{ ${nodes.join(' ')} }`),
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('f', 'a: f', 'f @d', 'b: f @d @e'),
      ...(first < FRAGMENTS
        ? [fc.integer({ min: first, max: FRAGMENTS - 1 }).map(index => `...F${index}`), fc.constant(`...F${first} @d`)]
        : []),
      tie('selection').map(selection => `f ${selection}`),
      tie('selection').map(selection => `... @d ${selection}`),
    ),
  })).selection;

const documents = fc
  .tuple(selectionFrom(0), ...Array.from({ length: FRAGMENTS }, (_, index) => selectionFrom(index + 1)))
  .map(([operation, ...fragments]) =>
    [`query ${operation}`, ...fragments.map((selection, index) => `fragment F${index} on A @d ${selection}`)].join(
      '\n',
    ),
  );

test('a document is refused exactly where what it spreads to, written out, is above a limit', () => {
  assertProperty(
    fc.property(documents, text => {
      const document = parse(text);
      const weigh = () => weighDocument(document);
      if (isWithin(document)) expect(weigh).not.toThrow();
      else expect(weigh).toThrow(/^The document /);
    }),
    { numRuns: runs(2_000) },
  );
});

test('fragments in a circle are weighed to an end', () => {
  const circle = 'query { ...A } fragment A on Q { f ...B } fragment B on Q { a: f ...A ...B }';
  expect(() => weighDocument(parse(circle))).not.toThrow();
});
