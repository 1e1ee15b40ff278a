/** The doors that the settings open. */
import type { DoorName } from '../../kernel/settings/doors.ts';
import type { DoorRoute } from './door.ts';
import { infobipPins } from './infobip/pins.ts';
import { type HookSettings, supabaseHook } from './supabase/send-sms.ts';
import { twilioMessages } from './twilio/messages.ts';
import { twilioVerify } from './twilio/verify.ts';

interface DoorSettings {
  readonly open: readonly DoorName[];
  /** Null: that door is shut. */
  readonly supabase: HookSettings | null;
}

/** The paths of the doors that are open. */
export function doorsOf({ open, supabase }: DoorSettings): readonly DoorRoute[] {
  return [
    ...(open.includes('twilio') ? [...twilioMessages, ...twilioVerify] : []),
    ...(open.includes('infobip') ? infobipPins : []),
    ...(supabase ? [supabaseHook(supabase)] : []),
  ];
}
