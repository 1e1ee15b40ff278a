/** The settings of doors: paths in the form of other vendors. */
import type { Fault } from './config-error.ts';

/** Every door. */
export const DOORS = ['twilio', 'infobip', 'supabase'] as const;

/** The name of a door. */
export type DoorName = (typeof DOORS)[number];

/** The names of doors. */
export function readDoors(text: string, fault: Fault): DoorName[] {
  return text.split(',').map(entry => {
    const name = DOORS.find(door => door === entry.trim());
    return (
      name ?? fault(`DOORS holds ${JSON.stringify(entry.trim().slice(0, 80))}; set it to some of ${DOORS.join(', ')}.`)
    );
  });
}

/** The key in a secret as Supabase shows it. A fault never quotes it. */
export function readHookSecret(text: string, fault: Fault): Buffer {
  const [, key = ''] = /^v1,whsec_([A-Za-z0-9+/]{32,}={0,2})$/.exec(text) ?? [];
  if (key === '') fault('SUPABASE_HOOK_SECRET is not a secret of a Supabase hook; set it to all of v1,whsec_…');
  return Buffer.from(key, 'base64');
}

/** A token for passcodes. A fault never quotes it. */
export function readHookToken(text: string, fault: Fault): string {
  if (!/^hg_(otp|uni)_[\w-]+$/.test(text))
    fault('SUPABASE_HOOK_TOKEN is not a token for passcodes; set it to a token of the area otp or unified.');
  return text;
}

/** Characters of a text, as every send bounds it. */
const HOOK_TEXT_MAX = 1_600;

/** A text around a code whose end nobody tells the gateway. */
export function readHookText(text: string, fault: Fault): string {
  const rest = text.replaceAll(/(?<!\{)\{\{code\}\}(?!\})/g, '');
  if (rest === text || /\{\{|\}\}/.test(rest))
    fault('SUPABASE_HOOK_TEXT must hold {{code}} and no other placeholder, as in "{{code}} is your code for Example."');
  if ([...text].length > HOOK_TEXT_MAX)
    fault(`SUPABASE_HOOK_TEXT is longer than ${HOOK_TEXT_MAX} characters; shorten it.`);
  return text;
}
