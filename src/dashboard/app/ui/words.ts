/** Words and numbers as pages show them. */

export { isNumber, phoneWord } from './region/region.ts';

/** `MESSAGE_ATTEMPT` as `message attempt`. */
export function plainWord(word: string): string {
  return word.toLowerCase().replaceAll('_', ' ');
}

/** `MESSAGE_ATTEMPT` as `Message attempt`. */
export function sentence(word: string): string {
  const plain = plainWord(word);
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** As the words beside them: in English. */
const NUMBER = new Intl.NumberFormat('en');

/** `12,345`. */
export function shownNumber(value: number): string {
  return NUMBER.format(value);
}

/** `1 credit`, `2 credits`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${shownNumber(value)} ${value === 1 ? one : many}`;
}

/** The most waiting deliveries that the gateway counts. */
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

/** `97.3 %`; all and none are whole numbers, and nothing else is rounded to them. A dash where there is nothing to be a part of. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const value = (100 * part) / whole;
  if (value === 0 || value === 100) return `${value} %`;
  return `${Math.min(99.9, Math.max(0.1, value)).toFixed(1)} %`;
}
