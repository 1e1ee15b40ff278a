/** The option `policy` of root fields: without it a root field does not compile. The policy stands in the field's `extensions`, and is checked before the field resolves. */
import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { type Actor, type Ctx, unauthenticated } from '../../context.ts';
import type { Area } from '../../kernel/crypto/secrets.ts';
import { AppError, mustEnrolFirst } from '../../kernel/errors.ts';
import { completePolicy, type FieldPolicy, type FieldRules, policyOf } from '../../kernel/field-policy.ts';
import { requireUnifiedApi } from '../../modules/accounts/unified-api.policy.ts';

/** The name of the plugin in Pothos. */
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
      /** The callers that may ask for the field, and the treatment of operations that do. */
      policy: FieldRules;
    }
    interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > {
      /** The callers that may ask for the field, and the treatment of operations that do. */
      policy: FieldRules;
    }
    interface SubscriptionFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveShape,
      ResolveReturnShape,
    > {
      /** The callers that may ask for the field, and the treatment of operations that do. */
      policy: FieldRules;
    }
  }
}

type Resolver<Context> = GraphQLFieldResolver<unknown, Context, object>;

class PolicyPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    if (!('policy' in config.pothosOptions)) return config;
    const policy = completePolicy(config.pothosOptions.policy as FieldRules, config.parentType);
    return { ...config, extensions: { ...config.extensions, policy } };
  }

  override wrapResolve(
    resolve: Resolver<Types['Context']>,
    config: PothosOutputFieldConfig<Types>,
  ): Resolver<Types['Context']> {
    // A subscription is asked about when it begins.
    return config.kind === 'Subscription' ? resolve : guarded(resolve, config);
  }

  override wrapSubscribe(
    subscribe: Resolver<Types['Context']> | undefined,
    config: PothosOutputFieldConfig<Types>,
  ): Resolver<Types['Context']> | undefined {
    return subscribe && config.kind === 'Subscription' ? guarded(subscribe, config) : subscribe;
  }
}

function guarded<Context extends object>(
  resolve: Resolver<Context>,
  { extensions }: { readonly extensions?: object | null | undefined },
): Resolver<Context> {
  const policy = policyOf({ extensions: extensions ?? {} });
  if (!policy) return resolve;
  return (parent, args, ctx, info) => {
    // The builder's contexts are these; a plugin is typed for those of any builder.
    keepPolicy(policy, (ctx as Ctx).actor);
    return resolve(parent, args, ctx, info);
  };
}

/** Whom the field is for comes first: a plan is told to nobody else. @throws AppError `unauthenticated`, `wrong_area`, and the refusals of a plan */
function keepPolicy({ opens, people, plan, isForEnrolment }: FieldPolicy, actor: Actor): void {
  if (actor.kind === 'anonymous') {
    if (opens === 'public') return;
    throw unauthenticated(actor);
  }
  if (actor.kind === 'token' && !isOpenTo(opens, actor.area))
    throw new AppError('wrong_area', `${forWhom(opens)}; this token is of the area ${actor.area}.`);
  if (actor.kind === 'user' && !people.includes(actor.role))
    throw new AppError('wrong_area', `This is not for the role ${actor.role} of an account.`);
  if (actor.kind === 'user' && actor.mustEnrol && !isForEnrolment && opens !== 'public') throw mustEnrolFirst();
  if (!plan || !actor.account) return;
  const isUnified = actor.kind === 'user' ? plan === 'unified' : actor.kind === 'token' && actor.area === 'unified';
  if (plan === 'every' || isUnified) requireUnifiedApi(actor.account);
}

function forWhom(opens: FieldPolicy['opens']): string {
  if (typeof opens === 'string') return "This field is the operator's";
  return `This field takes a token of the area ${opens.join(' or ')}`;
}

function isOpenTo(opens: FieldPolicy['opens'], area: Area): boolean {
  return typeof opens === 'string' ? opens !== 'operator' : opens.includes(area);
}

SchemaBuilder.registerPlugin(policyPlugin, PolicyPlugin);
