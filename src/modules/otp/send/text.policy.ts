/** The texts of OTPs: the template with its placeholders, and the last line that phones fill codes in from. Pure. */
import { type Channel, isSms } from '../../../kernel/channel.ts';
import { countSegments } from '../../../kernel/segments.ts';

/** The template of a send that names none. */
export const DEFAULT_TEMPLATE = 'Your verification code is {{code}}. It expires in {{minutes}} minutes.';

/** For which site (`domain`, lower case, IDNs as punycode) or Android app (`appHash`, 11 characters) a phone may fill in the code; one of them. */
export type Autofill = { readonly domain?: string; readonly appHash?: string };

/** The parts of a text. */
export interface TextParts {
  /** Without a fault of `templateFault`. */
  readonly template: string;
  readonly code: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly autofill: Autofill | null;
  readonly channel: Channel;
}

/** Two braces, a name, two braces, and no third brace beside them. */
const PLACEHOLDER = /(?<!\{)\{\{([^{}]*)\}\}(?!\})/g;
const PLACEHOLDER_NAMES: readonly string[] = ['code', 'minutes'];
const SHOWN_NAME_LENGTH_MAX = 40;

/** SMS Retriever reads no longer message. */
const APP_MESSAGE_BYTES_MAX = 140;

/** The fault of a template, with its mend; null: none. A template must hold `{{code}}`, and may hold `{{minutes}}`. */
export function templateFault(template: string): string | null {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim());
  const stranger = names.find(name => !PLACEHOLDER_NAMES.includes(name));
  if (stranger !== undefined) return `holds {{${shorten(stranger)}}}; only {{code}} and {{minutes}} are filled in`;
  if (/\{\{|\}\}/.test(template.replace(PLACEHOLDER, ' '))) {
    return 'has braces that do not pair; write {{code}} and {{minutes}} with two braces on each side';
  }
  return names.includes('code') ? null : 'must hold {{code}}, where the code goes';
}

/**
 * The text of an OTP for one channel; `{{minutes}}` is rounded up. By SMS the autofill is its last line: `@example.com #123456` (WICG,
 * origin-bound one-time codes) or the app's hash (Android, SMS Retriever).
 */
export function renderText({ template, code, expiresIn, autofill, channel }: TextParts): string {
  const values: Readonly<Record<string, string>> = { code, minutes: String(Math.ceil(expiresIn / 60)) };
  // By a function: in a text, `$&` and the like would be filled in too. One pass, so nothing that was filled in is read again.
  const text = template.replace(PLACEHOLDER, (written, name: string) => values[name.trim()] ?? written);
  const line = isSms(channel) && autofill ? autofillLine(autofill, code) : null;
  return line === null ? text : `${text}\n\n${line}`;
}

/** Why phones cannot fill in the code of this whole SMS, with the mend; null: they can. */
export function autofillFault(text: string, autofill: Autofill | null): string | null {
  if (autofill?.appHash === undefined) return null;
  const bytes = Buffer.byteLength(text);
  const { segments } = countSegments(text);
  // The source does not say whose bytes: those of the text, or those on the wire, which are 140 in one segment. Both must do.
  if (bytes <= APP_MESSAGE_BYTES_MAX && segments === 1) return null;
  return (
    `the SMS with its code and hash has ${bytes} bytes (segments: ${segments}), and Android reads one segment of at most ` +
    `${APP_MESSAGE_BYTES_MAX} bytes; shorten the template, or leave appHash out`
  );
}

/** The components of a WhatsApp authentication template, whose text is fixed: the code goes into its body and its button. */
export function templateComponents(code: string): unknown[] {
  const parameters = [{ type: 'text', text: code }];
  return [
    { type: 'body', parameters },
    { type: 'button', sub_type: 'url', index: '0', parameters },
  ];
}

function autofillLine({ domain, appHash }: Autofill, code: string): string | null {
  if (domain !== undefined) return `@${domain} #${code}`;
  return appHash ?? null;
}

function shorten(name: string): string {
  const characters = [...name];
  return characters.length <= SHOWN_NAME_LENGTH_MAX ? name : `${characters.slice(0, SHOWN_NAME_LENGTH_MAX).join('')}…`;
}
