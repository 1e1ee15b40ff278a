/**
 * Generated sequences of everything that moves money: sends, codes, receipts, top-ups and caps. Processes stop or are overtaken, several
 * at a time.
 */
import fc from 'fast-check';

/** The act of a provider. `stuck`: nothing is heard of it, and the process that asked it is overtaken. */
export type Act = 'accepted' | 'rejected' | 'unknown' | 'stuck';

/** The channels of a send, in order. */
export type RouteName = 'sms' | 'chat' | 'chat, sms' | 'sms, chat';

/** How a send goes. */
export interface Way {
  readonly route: RouteName;
  readonly mode: 'fallback' | 'all';
  readonly chat: Act;
  readonly sms: Act;
}

/** Something that happens to an account (`who`). `pick` chooses among what there is, whatever it is. */
export type Command = { readonly who: 0 | 1 } & (
  | { readonly kind: 'send'; readonly way: Way; readonly segments: 1 | 2 | 3 }
  /** The same request again and again, by one reference of a few. */
  | { readonly kind: 'repeat'; readonly reference: number; readonly sms: Act }
  | { readonly kind: 'code'; readonly way: Way; readonly ofOtpArea: boolean }
  | { readonly kind: 'resend'; readonly pick: number; readonly way: Way }
  | { readonly kind: 'receipt'; readonly pick: number; readonly status: 'delivered' | 'failed'; readonly times: 1 | 2 }
  | { readonly kind: 'adjust'; readonly credits: number }
  | { readonly kind: 'cap'; readonly cap: number | null }
  /** Another process takes up all that is under way. */
  | { readonly kind: 'overtake' }
  /** A provider that was stuck answers its process, which may have been overtaken. */
  | { readonly kind: 'wake'; readonly pick: number; readonly act: Act }
);

/** Commands after one another; those of a wave at the same time. */
export interface Sequence {
  readonly credits: readonly [number, number];
  readonly waves: readonly (readonly Command[])[];
  /** The act of the providers that are stuck at the end. */
  readonly last: Exclude<Act, 'stuck'>;
}

const ACTS: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('accepted' as const) },
  { weight: 3, arbitrary: fc.constant('rejected' as const) },
  { weight: 2, arbitrary: fc.constant('unknown' as const) },
  { weight: 2, arbitrary: fc.constant('stuck' as const) },
);

const who = fc.constantFrom(0 as const, 1 as const);
const pick = fc.nat(999);
const way: fc.Arbitrary<Way> = fc.record({
  route: fc.constantFrom<RouteName>('sms', 'sms', 'chat', 'chat, sms', 'sms, chat'),
  mode: fc.constantFrom('fallback' as const, 'all' as const),
  chat: ACTS,
  sms: ACTS,
});

const COMMANDS: readonly [weight: number, fc.Arbitrary<Command>][] = [
  [8, fc.record({ kind: fc.constant('send' as const), who, way, segments: fc.constantFrom(1, 2, 3) })],
  [2, fc.record({ kind: fc.constant('repeat' as const), who, reference: fc.nat(2), sms: ACTS })],
  [4, fc.record({ kind: fc.constant('code' as const), who, way, ofOtpArea: fc.boolean() })],
  [2, fc.record({ kind: fc.constant('resend' as const), who, pick, way })],
  [
    4,
    fc.record({
      kind: fc.constant('receipt' as const),
      who,
      pick,
      status: fc.constantFrom('delivered' as const, 'delivered' as const, 'failed' as const),
      times: fc.constantFrom(1, 2),
    }),
  ],
  [
    3,
    fc.record({ kind: fc.constant('adjust' as const), who, credits: fc.integer({ min: -4, max: 12 }).filter(Boolean) }),
  ],
  [1, fc.record({ kind: fc.constant('cap' as const), who, cap: fc.oneof(fc.constant(null), fc.nat(20)) })],
  [1, fc.record({ kind: fc.constant('overtake' as const), who })],
  [2, fc.record({ kind: fc.constant('wake' as const), who, pick, act: ACTS })],
];

const command = fc.oneof(...COMMANDS.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Most waves are one command: what came of it is then known to the credit. */
const wave = fc.oneof(
  { weight: 5, arbitrary: fc.array(command, { minLength: 1, maxLength: 1 }) },
  { weight: 3, arbitrary: fc.array(command, { minLength: 2, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.array(command, { minLength: 16, maxLength: 64, size: 'max' }) },
);

/** Sequences on two accounts that have a little. */
export const SEQUENCES: fc.Arbitrary<Sequence> = fc.record({
  credits: fc.tuple(fc.nat(12), fc.nat(12)),
  waves: fc.array(wave, { minLength: 1, maxLength: 8, size: 'max' }),
  last: fc.constantFrom('accepted' as const, 'rejected' as const, 'unknown' as const),
});

const CHANNELS: Readonly<Record<RouteName, readonly ('chat_qr' | 'sms')[]>> = {
  sms: ['sms'],
  chat: ['chat_qr'],
  'chat, sms': ['chat_qr', 'sms'],
  'sms, chat': ['sms', 'chat_qr'],
};

/** The fields of a request that goes this way. */
export function routeOf({ route, mode }: Way) {
  const channels = [...CHANNELS[route]];
  return { channels, deliveryMode: mode, ...(route === 'sms' ? {} : { chatFrom: '15550000001' }) };
}

/** The way of a send or a code; a token of the area `otp` sends by SMS alone. */
export function wayOf(command: Extract<Command, { kind: 'send' | 'code' }>): Way {
  return command.kind === 'code' && command.ofOtpArea ? { ...command.way, route: 'sms' } : command.way;
}
