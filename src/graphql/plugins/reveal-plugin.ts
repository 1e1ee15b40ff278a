/** Masks the fields of `REVEALS` for people without the right to see them, and refuses them a search by number. Their kind stands in the fields' `extensions`. */
import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { Ctx } from '../../context.ts';
import { publicMessage } from '../../kernel/attempt-errors.ts';
import { AppError } from '../../kernel/errors.ts';
import { hideDigits, maskForViewer } from '../../kernel/phone.ts';
import { mayRole, type Right } from '../../kernel/role.ts';
import { REVEALS, type Reveals, SEEN_BY } from './reveals.ts';

/** The name of the plugin in Pothos. */
export const revealPlugin = 'reveal';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      reveal: RevealPlugin<Types>;
    }
  }
}

type Resolver<Context> = GraphQLFieldResolver<unknown, Context, object>;

class RevealPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const reveals = REVEALS[`${config.parentType}.${config.name}`];
    return reveals ? { ...config, extensions: { ...config.extensions, reveals } } : config;
  }

  override wrapResolve(
    resolve: Resolver<Types['Context']>,
    config: PothosOutputFieldConfig<Types>,
  ): Resolver<Types['Context']> {
    if (config.kind === 'Query') return withoutSearch(resolve, config);
    const reveals = REVEALS[`${config.parentType}.${config.name}`];
    if (!reveals) return resolve;
    const { nullable } = config.type;
    return (parent, args, ctx, info) => {
      const value: unknown = resolve(parent, args, ctx, info);
      // The builder's contexts are these; a plugin is typed for those of any builder.
      if (maySee(ctx as Ctx, SEEN_BY[reveals])) return value;
      return value instanceof Promise
        ? value.then(shown => masked(reveals, shown, nullable === true, parent))
        : masked(reveals, value, nullable === true, parent);
    };
  }

  override wrapSubscribe(
    subscribe: Resolver<Types['Context']> | undefined,
    config: PothosOutputFieldConfig<Types>,
  ): Resolver<Types['Context']> | undefined {
    return subscribe && config.kind === 'Subscription' ? withoutSearch(subscribe, config) : subscribe;
  }
}

function maySee({ actor }: Ctx, right: Right): boolean {
  return actor.kind !== 'user' || mayRole(actor.role, right);
}

/** Fewer are a status or an amount. */
const NUMBER_DIGITS = 5;

function masked(reveals: Reveals, value: unknown, isNullable: boolean, parent: unknown): unknown {
  if (value === null || value === undefined) return value;
  const { errorCode = null, errorMessage } = Object(parent) as Failed;
  if (reveals === 'told' || (reveals === 'retold' && value === errorMessage))
    return hideDigits(publicMessage({ code: errorCode ?? '', message: String(value) }), NUMBER_DIGITS);
  if (reveals === 'text' || reveals === 'code') return isNullable ? null : typeof value === 'string' ? '' : {};
  return reveals === 'number' ? maskForViewer(String(value)) : hideDigits(String(value), NUMBER_DIGITS);
}

/** An object that may hold the error of an attempt. */
interface Failed {
  readonly errorCode?: string | null;
  readonly errorMessage?: unknown;
}

/** Whoever can ask for the rows of a number can find out by asking which number a masked one is. */
function withoutSearch<Context extends object>(
  resolve: Resolver<Context>,
  { args }: { readonly args: object },
): Resolver<Context> {
  if (!('filter' in args)) return resolve;
  return (parent, given, ctx, info) => {
    const { filter } = given as { readonly filter?: { readonly recipient?: string | null } | null };
    const { actor } = ctx as unknown as Ctx;
    if (filter?.recipient != null && actor.kind === 'user' && !mayRole(actor.role, 'numbers'))
      throw new AppError('wrong_area', `The role ${actor.role} sees numbers masked, and cannot look for one.`);
    return resolve(parent, given, ctx, info);
  };
}

SchemaBuilder.registerPlugin(revealPlugin, RevealPlugin);
