/** The policy of a root field of the schema: who may use it, and how its operations are limited. */
import type { Area } from './crypto/secrets.ts';
import { type Right, type Role, rolesWith } from './role.ts';

/** The policy of a root field. The edges read it from the schema. */
export interface FieldPolicy {
  /** Tokens of these areas, or of `any` area, and an operator; `operator`: no token; `public`: everyone, strangers too. */
  readonly opens: readonly Area[] | 'any' | 'operator' | 'public';
  /** The people who may use it: the roles that have its right. */
  readonly people: readonly Role[];
  /** Whose plan is checked before the input: that of `unified` tokens and people, of such `tokens` alone, or of every account. Null: none, or the verb does. */
  readonly plan: 'unified' | 'tokens' | 'every' | null;
  /** Whether an operation may hold only one such field: it is a send, or a guess at a code. */
  readonly isAlone: boolean;
  /** Whose operations end at the deadline. `tokens`: not an operator's, which may be long. `nobody`: the verb waits for another host or for others, for a time of its own. */
  readonly deadlineFor: 'everyone' | 'tokens' | 'nobody';
  /** Whether it deals with passcodes: it is refused to pages of another origin. */
  readonly isForServers: boolean;
  /** Whether it is open to people who must turn a second factor on first. A `public` field is so anyway. */
  readonly isForEnrolment: boolean;
}

/** The rules that a field names; its people follow from them. One that is absent is as in `ORDINARY`. */
export interface FieldRules extends Pick<FieldPolicy, 'opens'>, Partial<Omit<FieldPolicy, 'opens' | 'people'>> {
  /**
   * The right that opens it to people. If absent: `look` for fields that tokens read, `change` for those that tokens change, and none for
   * fields of the operator.
   */
  readonly right?: Right;
}

/** The rules of a field that names no others. */
export const ORDINARY = {
  plan: null,
  isAlone: false,
  deadlineFor: 'everyone',
  isForServers: false,
  isForEnrolment: false,
} as const satisfies Omit<FieldPolicy, 'opens' | 'people'>;

/** The whole policy of a field of `Query`, `Mutation` or `Subscription`. */
export function completePolicy({ right, ...rules }: FieldRules, root: string): FieldPolicy {
  const needed = right ?? rightFor(rules.opens, root);
  return { ...ORDINARY, ...rules, people: needed === null ? [] : rolesWith(needed) };
}

function rightFor(opens: FieldPolicy['opens'], root: string): Right | null {
  if (opens === 'operator') return null;
  return root === 'Mutation' && opens !== 'public' ? 'change' : 'look';
}

/** The policy of a root field of a built schema; null for introspection fields (`__typename`, `__schema`). */
export function policyOf(field: { readonly extensions: object } | undefined): FieldPolicy | null {
  return field && 'policy' in field.extensions ? (field.extensions.policy as FieldPolicy) : null;
}
