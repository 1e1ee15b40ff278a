/** The option `policy` of root fields: without it a root field does not compile. It becomes the field's scopes, and stands in its `extensions`. */
import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import type { FieldPolicy } from '../kernel/field-policy.ts';

/** What Pothos calls the plugin. */
export const policyPlugin = 'policy';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      policy: PolicyPlugin<Types>;
    }
    interface QueryFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /** Who opens the field, and how an operation that asks for it is treated. */
      policy: FieldPolicy;
    }
    interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /** Who opens the field, and how an operation that asks for it is treated. */
      policy: FieldPolicy;
    }
    interface SubscriptionFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveShape,
      ResolveReturnShape,
    > {
      /** Who opens the field, and how an operation that asks for it is treated. */
      policy: FieldPolicy;
    }
  }
}

class PolicyPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    if (!('policy' in config.pothosOptions)) return config;
    const policy = config.pothosOptions.policy as FieldPolicy;
    const pothosOptions = { ...config.pothosOptions, authScopes: scopesOf(policy) };
    return { ...config, pothosOptions, extensions: { ...config.extensions, policy } } as PothosOutputFieldConfig<Types>;
  }
}

/** The scopes of a policy, asked in their order: a plan is told to nobody but those whom the field is for. */
function scopesOf({ opens, plan }: FieldPolicy): object {
  return { $all: { opens, ...(plan && { plan }) } };
}

SchemaBuilder.registerPlugin(policyPlugin, PolicyPlugin);
