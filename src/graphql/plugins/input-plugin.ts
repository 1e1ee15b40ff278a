/** Checks inputs by Pothos's zod plugin: those of a subscription when it begins, and not again with each event. */
import SchemaBuilder, { type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { PothosZodPlugin } from '@pothos/plugin-zod';
import type { GraphQLFieldResolver } from 'graphql';

/** The name of the plugin in Pothos. */
export const inputPlugin = 'inputs';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      inputs: InputPlugin<Types>;
    }
  }
}

class InputPlugin<Types extends SchemaTypes> extends PothosZodPlugin<Types> {
  /** The resolver of a subscription gets its arguments as they were given: `subscribe` had them checked. */
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    config: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    return config.kind === 'Subscription' ? resolve : super.wrapResolve(resolve, config);
  }
}

SchemaBuilder.registerPlugin(inputPlugin, InputPlugin);
