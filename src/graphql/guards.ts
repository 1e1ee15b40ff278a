/** Checks of a document before it runs: its size, depth, cost, and the rights of its caller. Nothing of a refused one is executed. */
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type ParseOptions,
  parse,
  type Source,
  type ValidationRule,
  validate,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Ctx } from '../context.ts';
import { ERRORS } from '../kernel/errors.ts';
import { documentFault, toPublicErrors } from './errors.ts';
import { COST_MAX, costOf } from './server/document-cost.ts';
import {
  asksFor,
  DOCUMENT_LIMITS,
  documentRefusal,
  fieldsWith,
  INTROSPECTION,
  weighDocument,
} from './server/document-limits.ts';
import type { Begun } from './server/limit-operations.ts';
import { oneSensitiveField } from './server/sensitive-fields.ts';

/** How many faults of a document, or of its variables, are told: who has more mends these first. */
const DOCUMENT_FAULTS_MAX = 5;

/** The message of GraphQL for a document with too many fields to compare with one another. */
const ABORTED = 'Validation aborted.';

const repetitive = (): GraphQLError => documentRefusal('The document repeats too many fields.');

/** Parses a document within the limits of size and shape. @throws GraphQLError where it is none, or too large (never by how much) */
export function parseDocument(source: string | Source, options: ParseOptions = {}): DocumentNode {
  const document = parseTokens(source, options);
  weighDocument(document);
  return document;
}

function parseTokens(source: string | Source, options: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: DOCUMENT_LIMITS.tokens });
  } catch (error) {
    // The parser descends into the document; the stack could end before the tokens do.
    if (error instanceof RangeError) throw new GraphQLError('Syntax Error: The document is too deep.');
    if (error instanceof GraphQLError && error.message.includes(' tokens. Parsing aborted.'))
      throw new GraphQLError('Syntax Error: The document is too long.');
    throw error;
  }
}

/** The faults of a document against the schema, the first few of them. Nothing is suggested: names are not to be found by guessing. */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[] | undefined,
): readonly GraphQLError[] {
  return validate(schema, document, rules && [...rules], { maxErrors: DOCUMENT_FAULTS_MAX, hideSuggestions: true });
}

/** Parses and validates within the limits. Results may be cached by the text: they do not depend on the caller. */
export const boundedDocuments: Plugin = {
  onParse: ({ params, setParseFn }) => setParseFn(source => parseDocument(source, params.options)),
  onValidate({ addValidationRule, setValidationFn }) {
    setValidationFn(validateDocument);
    addValidationRule(oneSensitiveField);
    return ({ valid, result, setResult }) => {
      if (!valid) setResult(result.map(error => (error.message === ABORTED ? repetitive() : documentFault(error))));
    };
  },
};

/** Refuses what depends on who asks, and with which variables. `introspection`: whether tokens may ask for the schema. */
export function allowedOperations(schema: GraphQLSchema, introspection: boolean): Plugin<Ctx> {
  const refusalOf = (args: Begun['args']): ExecutionResult | null => {
    const operation = getOperationAST(args.document, args.operationName);
    // None, or several and no name: the executor says so.
    if (!operation) return null;
    const ctx = args.contextValue;
    if (ctx.request.isCrossOrigin && fieldsWith(schema, operation, policy => policy.isForServers).length > 0)
      return refused(foreignPage());
    if (asksFor(operation, INTROSPECTION) && !mayIntrospect(ctx, introspection)) {
      if (ctx.actor.kind !== 'anonymous' || asksFor(operation, SCHEMA)) return refused(documentRefusal(NO_SCHEMA));
      args.document = withoutTypes(args.document);
    }
    const faults = variableFaults(schema, operation, args.variableValues);
    if (faults.length > 0) return { errors: toPublicErrors(faults, ctx).map(asRefusal) };
    const cost = costOf(schema, args.document, operation, args.variableValues, ctx);
    return cost > COST_MAX ? refused(documentRefusal('The document asks for too much at once.')) : null;
  };
  const refuse = ({ args, setResultAndStopExecution }: Begun): void => {
    Object.assign(args, { hideSuggestions: true });
    const refusal = refusalOf(args);
    if (refusal) setResultAndStopExecution(refusal);
  };
  return { onExecute: refuse, onSubscribe: refuse };
}

/** The first faults of the variables. All of them would be dear: each is told with the value that it stands in. */
function variableFaults(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> | null | undefined,
): readonly GraphQLError[] {
  const options = { maxErrors: DOCUMENT_FAULTS_MAX, hideSuggestions: true };
  return getVariableValues(schema, variableDefinitions, { ...variables }, options).errors ?? [];
}

const SCHEMA: ReadonlySet<string> = new Set(['__schema']);

const NO_SCHEMA = 'The schema is not told here. It is the file schema.graphql of the gateway.';

function foreignPage(): GraphQLError {
  return new GraphQLError('Passcodes are for servers: a page of another origin cannot ask for them.', {
    extensions: { code: 'WRONG_AREA', http: { status: ERRORS.wrong_area.status } },
  });
}

/** The status of bad input that nothing was executed of. A stranger hears the same as where it fits. */
function asRefusal(error: GraphQLError): GraphQLError {
  const { message, nodes, extensions } = error;
  if (extensions.code !== 'INVALID_INPUT') return error;
  return new GraphQLError(message, { nodes, extensions: { ...extensions, http: { spec: true, status: 400 } } });
}

function refused(error: GraphQLError): ExecutionResult {
  return { errors: [error] };
}

function mayIntrospect({ actor }: Ctx, introspection: boolean): boolean {
  return actor.kind === 'operator' || ((actor.kind === 'token' || actor.kind === 'user') && introspection);
}

/** To a stranger there is no type by any name. Asked so, the answer is null and no error, as GraphQL over HTTP is audited. */
function withoutTypes(document: DocumentNode): DocumentNode {
  return visit(document, {
    Field: node =>
      node.name.value === '__type'
        ? {
            ...node,
            arguments: [
              {
                kind: Kind.ARGUMENT,
                name: { kind: Kind.NAME, value: 'name' },
                value: { kind: Kind.STRING, value: '' },
              } as const,
            ],
          }
        : undefined,
  });
}
