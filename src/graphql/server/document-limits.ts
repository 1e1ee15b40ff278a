/** The limits of a document. A fragment is weighed once, however often it is spread: weighing costs as much as the document is long. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { type FieldPolicy, policyOf } from '../../kernel/field-policy.ts';

/** The most that a document may hold; the counts are of each operation, with what its fragments spread to. */
export const DOCUMENT_LIMITS = {
  /** Lexical tokens of the whole document; five times the introspection query. */
  tokens: 1_000,
  /** Fields inside one another; the deepest of the schema is 5. Fields inside of `__schema` and `__type` are not counted. */
  depth: 6,
  aliases: 10,
  /** Characters of an alias: the answer repeats it, a fault too. */
  aliasLength: 100,
  directives: 10,
  /** Fields at the root, as they are written. */
  rootFields: 10,
} as const;

/** A field at the root of an operation. */
interface RootField {
  readonly name: string;
  /** The name in the answer: its alias, else the name. */
  readonly key: string;
}

interface Weight {
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
  /** As often as they are spread; of more than there may be only one more. */
  readonly rootFields: readonly RootField[];
}

/** The fields that tell the schema. They stand at the root of queries and nowhere else. */
export const INTROSPECTION: ReadonlySet<string> = new Set(['__schema', '__type']);

const NOTHING: Weight = { depth: 0, aliases: 0, directives: 0, rootFields: [] };

/** Documents are kept by the parser's cache, and their weights with them. */
const known = new WeakMap<OperationDefinitionNode, Weight>();

/** Weighs every operation of a document. @throws GraphQLError above a limit, which the message does not tell */
export function weighDocument(document: DocumentNode): void {
  const scales = new Scales(document);
  for (const operation of document.definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
    const weight = scales.weighOperation(operation);
    known.set(operation, weight);
    const fault = faultOf(weight);
    if (fault) throw documentRefusal(fault, operation);
  }
}

/** The fields at the root of an operation of a document that was weighed, whatever fragments they stand in. */
export function rootFieldsOf(operation: OperationDefinitionNode): readonly RootField[] {
  return (known.get(operation) ?? NOTHING).rootFields;
}

/** Whether one of these fields stands at the root of an operation of a document that was weighed. */
export function asksFor(operation: OperationDefinitionNode, names: ReadonlySet<string>): boolean {
  return rootFieldsOf(operation).some(({ name }) => names.has(name));
}

/** The root fields of an operation whose policy fits `isSuch`. The document has to be weighed before. */
export function fieldsWith(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  isSuch: (policy: FieldPolicy) => boolean,
): RootField[] {
  const fields = schema.getRootType(operation.operation)?.getFields();
  return rootFieldsOf(operation).filter(({ name }) => {
    const policy = policyOf(fields?.[name]);
    return policy && isSuch(policy);
  });
}

/** The refusal of a document, as of one that does not fit the schema: status 400 where the answer is GraphQL's own type, else 200. */
export function documentRefusal(message: string, node?: OperationDefinitionNode): GraphQLError {
  return new GraphQLError(message, {
    nodes: node,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { spec: true, status: 400 } },
  });
}

function faultOf({ depth, aliases, directives, rootFields }: Weight): string | null {
  if (depth > DOCUMENT_LIMITS.depth) return 'The document is too deep.';
  if (rootFields.length > DOCUMENT_LIMITS.rootFields) return 'The document asks for too many fields at its root.';
  if (aliases > DOCUMENT_LIMITS.aliases) return 'The document has too many aliases.';
  if (directives > DOCUMENT_LIMITS.directives) return 'The document has too many directives.';
  return null;
}

/** Weighs the operations of one document. */
class Scales {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #weighed = new Map<FragmentDefinitionNode, Weight>();

  constructor({ definitions }: DocumentNode) {
    for (const node of definitions)
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(node.name.value, node);
  }

  weighOperation({ selectionSet, directives, variableDefinitions }: OperationDefinitionNode): Weight {
    const weight = this.#weighSelection(selectionSet);
    const onVariables = (variableDefinitions ?? []).reduce((sum, node) => sum + (node.directives?.length ?? 0), 0);
    return { ...weight, directives: weight.directives + (directives?.length ?? 0) + onVariables };
  }

  #weighSelection({ selections }: SelectionSetNode): Weight {
    let [depth, aliases, directives] = [0, 0, 0];
    const rootFields: RootField[] = [];
    for (const node of selections) {
      const weight = this.#weighNode(node);
      depth = Math.max(depth, weight.depth);
      aliases += weight.aliases;
      directives += weight.directives + (node.directives?.length ?? 0);
      rootFields.push(...weight.rootFields);
    }
    return { depth, aliases, directives, rootFields: rootFields.slice(0, DOCUMENT_LIMITS.rootFields + 1) };
  }

  /** A selection without its own directives. A field is one field at its level, a fragment is all that it holds. */
  #weighNode(node: SelectionNode): Weight {
    if (node.kind === Kind.INLINE_FRAGMENT) return this.#weighSelection(node.selectionSet);
    if (node.kind === Kind.FRAGMENT_SPREAD) return this.#weighFragment(node.name.value);
    const name = node.name.value;
    if ((node.alias?.value.length ?? 0) > DOCUMENT_LIMITS.aliasLength)
      throw documentRefusal('The document has an alias that is too long.');
    const { depth, aliases, directives } = node.selectionSet ? this.#weighSelection(node.selectionSet) : NOTHING;
    return {
      depth: INTROSPECTION.has(name) ? 1 : depth + 1,
      aliases: aliases + (node.alias ? 1 : 0),
      directives,
      rootFields: [{ name, key: node.alias?.value ?? name }],
    };
  }

  #weighFragment(name: string): Weight {
    const fragment = this.#fragments.get(name);
    if (!fragment) return NOTHING;
    const weighed = this.#weighed.get(fragment);
    if (weighed) return weighed;
    // A cycle, which a rule of GraphQL refuses, weighs nothing here.
    this.#weighed.set(fragment, NOTHING);
    const weight = this.#weighSelection(fragment.selectionSet);
    const own = { ...weight, directives: weight.directives + (fragment.directives?.length ?? 0) };
    this.#weighed.set(fragment, own);
    return own;
  }
}
