/** The policy of a root field of the schema: who may use it, and how its operations are limited. */
import type { Area } from './crypto/secrets.ts';
import { ROLES, type Role } from './role.ts';

/** The policy of a root field. It stands on the field; the edges read it from the schema. */
export interface FieldPolicy {
  /** Tokens of these areas, or of `any` area, and an operator; `operator`: no token; `public`: everyone, strangers too. */
  readonly opens: readonly Area[] | 'any' | 'operator' | 'public';
  /**
   * The people who may use it. Where a field does not say: all may read what tokens read, owners and developers may change what tokens
   * change, and nobody what is the operator's.
   */
  readonly people: readonly Role[];
  /** Whose plan is checked before the input: that of `unified` tokens, or of every account. Null: none, or the verb does. */
  readonly plan: 'unified' | 'every' | null;
  /** Whether an operation may hold only one such field: it is a send, or a guess at a code. */
  readonly isAlone: boolean;
  /** Whose operations end at the deadline. `tokens`: not an operator's, which may be long; `nobody`: the verb waits for another host, or for what others do, for a time of its own. */
  readonly deadlineFor: 'everyone' | 'tokens' | 'nobody';
  /** Whether it deals with passcodes: it is refused to pages of another origin. */
  readonly isForServers: boolean;
}

/** What is said of a field: `people` only where the rule for all fields is not meant. */
export type FieldRules = Omit<FieldPolicy, 'people'> & Partial<Pick<FieldPolicy, 'people'>>;

/** The policy of a field without special rules; `opens` must be added. */
export const ORDINARY = {
  plan: null,
  isAlone: false,
  deadlineFor: 'everyone',
  isForServers: false,
} as const satisfies Omit<FieldRules, 'opens'>;

/** The whole policy of a field of `Query`, `Mutation` or `Subscription`. */
export function completePolicy(rules: FieldRules, root: string): FieldPolicy {
  return { ...rules, people: rules.people ?? peopleFor(rules.opens, root) };
}

function peopleFor(opens: FieldPolicy['opens'], root: string): readonly Role[] {
  if (opens === 'operator') return [];
  return root === 'Mutation' && opens !== 'public' ? ['owner', 'developer'] : ROLES;
}

/** The policy of a root field of a built schema; null for introspection fields (`__typename`, `__schema`). */
export function policyOf(field: { readonly extensions: object } | undefined): FieldPolicy | null {
  return field && 'policy' in field.extensions ? (field.extensions.policy as FieldPolicy) : null;
}
