/** The command that mends a refusal, or shows what there is. */

/** By the code of the refusal. */
const BY_CODE: Readonly<Record<string, string>> = {
  insufficient_balance: 'balance add <accountId> <credits> --reason <text>',
  unified_api_disabled: 'account set <accountId> --unified-api on',
  plan_expired: 'account set <accountId> --plan-expires <time|never>',
  sender_not_approved: 'sender approve <accountId> <name>',
  otp_not_found: 'otp send --to <number>',
  otp_expired: 'otp send --to <number>',
  no_route: 'connection list <accountId>',
  database_unavailable: 'doctor',
  internal_error: 'doctor',
};

/** The command that lists things of a kind, by the message that one was not found. */
const LISTS: readonly (readonly [called: RegExp, command: string])[] = [
  [/^There is no (such )?account\b/, 'account list'],
  [/^There is no (such )?webhook endpoint\b/, 'webhooks list'],
  [/^There is no (such )?webhook delivery\b/, 'webhooks deliveries <endpointId>'],
  [/^There is no (such )?auto-reply\b/, 'auto-reply list'],
  [/^There is no (such )?alert rule\b/, 'alert list'],
  [/^There is no (such )?token\b/, 'token list'],
  [/^There is no (such )?person\b/, 'user list'],
  [/^There is no (such )?connection\b/, 'connection list <accountId>'],
  [/^There is no (such )?sender\b/, 'sender list <accountId>'],
  [/^There is no (such )?message\b/, 'logs'],
];

/** The command to run after a refusal; null: its sentence says it all. */
export function hintFor(code: string | null, message: string): string | null {
  if (code === 'not_found') return LISTS.find(([called]) => called.test(message))?.[1] ?? null;
  return BY_CODE[code ?? ''] ?? null;
}
