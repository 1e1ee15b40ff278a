/** Prints the operations of `@heliograph/client`: their documents, and named types with the descriptions of the schema. */
import {
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  stripIgnoredCharacters,
  typeFromAST,
} from 'graphql';
import { ERRORS } from '../../kernel/errors.ts';
import {
  HEAD,
  leafType,
  lowerFirst,
  type Member,
  objectOf,
  readDocuments,
  resultOf,
  spreadsOf,
  unionOf,
  type Writer,
} from './print-operations.ts';

/** The module of the operations in this folder. */
export function printClientOperations(schema: GraphQLSchema, folder: URL): string {
  const definitions = readDocuments(schema, folder).flatMap(([, document]) => document.definitions);
  const fragments = definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION);
  const operations = definitions.filter(node => node.kind === Kind.OPERATION_DEFINITION);
  const byName = new Map(fragments.map(node => [node.name.value, node]));
  const types = new NamedTypes();
  const results = fragments.map(node => interfaceOf(schema, node, types));
  const rows = operations.map(node => {
    const variables = (node.variableDefinitions ?? []).map(({ variable, type }) =>
      types.inputMember([variable.name.value, typeFromAST(schema, type) as GraphQLInputType, '']),
    );
    return `  readonly ${nameOf(node)}: {
    readonly variables: { ${variables.join(' ')} };
    readonly result: ${resultOf(schema, node, types.writer)};
  };\n`;
  });
  const documents = operations.map(node => {
    const text = [node, ...spreadsOf(node, byName)].map(print).join('\n');
    return `  ${nameOf(node)}: ${JSON.stringify(stripIgnoredCharacters(text))},\n`;
  });
  return `${HEAD}
/** The codes of errors that the gateway answers. */
export type GatewayErrorCode = ${unionOf(Object.keys(ERRORS))};
${types.print()}${results.join('')}
/** The variables of each operation, and what its field \`result\` answers. */
export interface Operations {
${rows.join('')}}

/** The document of each operation. */
export const DOCUMENTS: Readonly<Record<keyof Operations, string>> = {
${documents.join('')}};
`;
}

const nameOf = ({ name }: OperationDefinitionNode): string => lowerFirst(name?.value ?? '');

const docOf = (description: string | null | undefined): string =>
  description ? `/** ${description.replaceAll('*/', '*∕')} */\n` : '';

function interfaceOf(schema: GraphQLSchema, node: FragmentDefinitionNode, types: NamedTypes): string {
  const type = schema.getType(node.typeCondition.name.value);
  if (!isObjectType(type)) throw new Error(`the fragment ${node.name.value} is of no object type`);
  const shape = objectOf(schema, node.selectionSet, type, types.writer);
  return `\n${docOf(type.description)}export interface ${node.name.value} ${shape}\n`;
}

/** The enums and inputs that were met, which are printed by their names. */
class NamedTypes {
  readonly #enums = new Map<string, GraphQLEnumType>();
  readonly #inputs = new Map<string, GraphQLInputObjectType>();

  readonly writer: Writer = {
    leaf: type => {
      if (!isEnumType(type)) return type.name === 'DateTime' ? 'string' : leafType(type);
      this.#enums.set(type.name, type);
      return type.name;
    },
    list: item => `readonly (${item})[]`,
    nullable: value => `${value} | null`,
    object: (members, fragments) => {
      if (members.length === 0 && fragments.length === 1) return fragments.join();
      if (fragments.length > 0) throw new Error('a fragment stands alone');
      return `{\n${members.map(memberOf).join('')}}`;
    },
  };

  inputMember([name, type, description]: readonly [string, GraphQLInputType, string]): string {
    const value = this.#inputOf(isNonNullType(type) ? type.ofType : type);
    const isRequired = isNonNullType(type);
    return `${docOf(description)}readonly ${name}${isRequired ? '' : '?'}: ${value}${isRequired ? '' : ' | null | undefined'};`;
  }

  #inputOf(type: GraphQLInputType): string {
    if (isNonNullType(type)) return this.#inputOf(type.ofType);
    if (isListType(type)) return `readonly (${this.#inputOf(type.ofType)})[]`;
    if (!isInputObjectType(type)) return this.writer.leaf(getNamedType(type));
    this.#inputs.set(type.name, type);
    return type.name;
  }

  /** Inputs first: they name more inputs, which join those that are walked, and enums. */
  print(): string {
    const inputs: string[] = [];
    for (const [name, type] of this.#inputs) {
      const members = Object.values(type.getFields()).map(
        field => `  ${this.inputMember([field.name, field.type, field.description ?? '']).replace('\n', '\n  ')}\n`,
      );
      inputs.push(`\n${docOf(type.description)}export interface ${name} {\n${members.join('')}}\n`);
    }
    const enums = [...this.#enums.values()].map(type => {
      const words = type.getValues().map(({ name, description }) => `  ${docOf(description)}  | '${name}'`);
      return `\n${docOf(type.description)}export type ${type.name} =\n${words.join('\n')};\n`;
    });
    return [...enums, ...inputs].join('');
  }
}

const memberOf = ([name, value, description]: Member): string =>
  `  ${docOf(description).replace('\n', '\n  ')}readonly ${name}: ${value};\n`;
