/** Checks arguments by the zod schemas that stand in their `extensions`, before the field resolves. */
import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { z } from 'zod';
import { CHECKED_INPUT, schemaOfArg, toInputError } from '../../kernel/input.ts';

/** What Pothos calls the plugin. */
export const inputPlugin = 'input';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      input: InputPlugin<Types>;
    }
  }
}

type Resolver<Context> = GraphQLFieldResolver<unknown, Context, object>;

class InputPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: Resolver<Types['Context']>,
    { args }: PothosOutputFieldConfig<Types>,
  ): Resolver<Types['Context']> {
    const schemas = Object.entries(args).flatMap(([name, arg]): [string, z.ZodType][] => {
      const schema = schemaOfArg(arg);
      return schema ? [[name, schema]] : [];
    });
    if (schemas.length === 0) return resolve;
    return (root, given, ctx, info) =>
      resolve(root, root === CHECKED_INPUT ? given : checked(schemas, given), ctx, info);
  }
}

/** @throws AppError `invalid_input` */
function checked(schemas: readonly (readonly [name: string, schema: z.ZodType])[], given: object): object {
  const values: Record<string, unknown> = { ...given };
  for (const [name, schema] of schemas) {
    const { data, error } = schema.safeParse(values[name]);
    if (error) throw toInputError(error, values[name]);
    values[name] = data;
  }
  return values;
}

SchemaBuilder.registerPlugin(inputPlugin, InputPlugin);
