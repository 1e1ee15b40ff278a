/** The areas of tokens in plain words. */
import type { Area } from '../../api/operations.generated.ts';

/** An area: its name, what it opens, and what stops when a token of it is revoked. */
export const AREAS: Readonly<Record<Area, { readonly name: string; readonly opens: string; readonly stops: string }>> =
  {
    UNIFIED: {
      name: 'Unified',
      opens: 'Messages and passcodes over every channel, and the log.',
      stops: 'Programs that send messages and passcodes with it are refused.',
    },
    SMS: {
      name: 'SMS',
      opens: 'Direct SMS, and the log of its own messages.',
      stops: 'Programs that send SMS with it are refused.',
    },
    OTP: {
      name: 'OTP',
      opens: 'Passcodes by SMS, and their verification.',
      stops: 'Programs that send or verify passcodes with it are refused.',
    },
    MANAGEMENT: {
      name: 'Management',
      opens: 'Webhooks, senders and the log, and the export and erasure of recipients. It sends nothing.',
      stops: 'Programs that manage webhooks or read the log with it are refused.',
    },
  };

/** A command that works as it stands with a token of the area. @param sender an approved SMS sender; null: there is none */
export function curlOf(area: Area, token: string, sender: string | null): string | null {
  const head = `-H "Authorization: Bearer ${token}" -H 'Content-Type: application/json'`;
  const at = (path: string, body: object): string =>
    `curl -s ${location.origin}${path} \\\n  ${head} \\\n  -d '${JSON.stringify(body)}'`;
  // Webhooks, senders and the log of a management token are GraphQL's alone.
  if (area === 'MANAGEMENT') return at('/graphql', { query: '{ balance { credits held spentToday } }' });
  if (sender === null) return null;
  const to = '+12025550100';
  if (area === 'OTP') return at('/api/sms/otp/send', { to, sender });
  const text = 'Hello from Heliograph';
  if (area === 'SMS') return at('/api/sms/send', { to, sender, text });
  return at('/api/omni/send', { to, text, channels: ['sms'], sender });
}
