/** Words and numbers as pages show them. */

/** `CHAT_QR` as people read it. */
const CHANNELS: Readonly<Record<string, string>> = { CHAT_QR: 'QR chat', CHAT_CLOUD: 'Cloud chat', SMS: 'SMS' };

/** A channel by its name for people. */
export function channelWord(channel: string): string {
  return CHANNELS[channel] ?? channel;
}

/** `MESSAGE_ATTEMPT` as `message attempt`. */
export function plainWord(word: string): string {
  return word.toLowerCase().replaceAll('_', ' ');
}

/** `MESSAGE_ATTEMPT` as `Message attempt`. */
export function sentence(word: string): string {
  const plain = plainWord(word);
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

const NUMBER = new Intl.NumberFormat();

/** `12,345`. */
export function shownNumber(value: number): string {
  return NUMBER.format(value);
}

/** `1 credit`, `2 credits`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${shownNumber(value)} ${value === 1 ? one : many}`;
}

/** Where the gateway stops to count deliveries that wait. */
const WAITING_MAX = 1_000;

/** `12 deliveries wait`. */
export function waitingWord(count: number): string {
  if (count >= WAITING_MAX) return `${shownNumber(WAITING_MAX)} deliveries or more wait`;
  return `${counted(count, 'delivery', 'deliveries')} ${count === 1 ? 'waits' : 'wait'}`;
}

/** How long credits last: `25 days`, `less than a day`, `for years`. */
export function lastsWord(days: number): string {
  if (days < 1) return 'less than a day';
  return days > 999 ? 'for years' : counted(Math.floor(days), 'day');
}

/** `97.3 %`; a dash where there is nothing to be a part of. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const value = (100 * part) / whole;
  return `${value === 100 || value === 0 ? value : value.toFixed(1)} %`;
}

/** Calling codes of one digit and of two; all others have three. */
const CALLING_CODE = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** `12025550100` as `+1 202 555 0100`, `447700900123` as `+44 770 090 0123`: groups of three behind the calling code; a name stays. */
export function phoneWord(number: string): string {
  const [, a, b, c] = /^1(\d{3})(\d{3})(\d{4})$/.exec(number) ?? [];
  if (a !== undefined) return `+1 ${a} ${b} ${c}`;
  if (!/^\d{7,15}$/.test(number)) return number;
  const [code = ''] = CALLING_CODE.exec(number) ?? [];
  // No group of one digit is left over at the end.
  return `+${code} ${number.slice(code.length).replaceAll(/\d{3}(?=\d{2})/g, '$& ')}`;
}
