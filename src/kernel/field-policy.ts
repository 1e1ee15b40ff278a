/** What a root field of the schema says of itself: who opens it, and how an operation that asks for it is treated. */
import type { Area } from './crypto/secrets.ts';

/** The policy of a root field. It stands on the field; the edges read it from the schema. */
export interface FieldPolicy {
  /** Tokens of these areas and an operator; `any`: a live token of any area and an operator; `operator`: nobody else. */
  readonly opens: readonly Area[] | 'any' | 'operator';
  /**
   * Whose plan must be open before the input is looked at: that of a `unified` token, or that of every account. Null: the plan is
   * nothing to the field, or its verb asks for it.
   */
  readonly plan: 'unified' | 'every' | null;
  /** Whether an operation holds at most one field that says so: each of them is a send, or a guess at a code. */
  readonly isAlone: boolean;
  /**
   * Whose operation ends at the deadline of a request: `everyone`'s; `tokens`: not an operator's, who waits for long work; `nobody`'s:
   * it waits for somebody outside, within bounds of its own.
   */
  readonly deadlineFor: 'everyone' | 'tokens' | 'nobody';
  /** The limit of requests that it counts for. What counts for `otp` is counted by its verb. */
  readonly countsFor: 'requests' | 'otp';
  /** Whether it deals with passcodes: it is refused to pages of another origin. */
  readonly isForServers: boolean;
}

/** Of a field that nothing is special about, but for who opens it. */
export const ORDINARY = {
  plan: null,
  isAlone: false,
  deadlineFor: 'everyone',
  countsFor: 'requests',
  isForServers: false,
} as const satisfies Omit<FieldPolicy, 'opens'>;

/** The policy of a root field of a built schema; null of what the schema tells of itself (`__typename`, `__schema`). */
export function policyOf(field: { readonly extensions: object } | undefined): FieldPolicy | null {
  return field && 'policy' in field.extensions ? (field.extensions.policy as FieldPolicy) : null;
}
