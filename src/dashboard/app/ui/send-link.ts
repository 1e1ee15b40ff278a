/** Links to the page that sends. */

/** The parts that stand in the query string. Histories and logs of proxies keep it, so these parts tell of no person. */
const OPEN = ['kind', 'channels', 'deliveryMode'] as const;

/** The parts of a draft that a link fills in, by their names. */
export type SendParts = Readonly<Record<string, string>>;

/** The address of the page that begins with these parts. Numbers and texts stand behind `#`, which no server is sent. */
export function sendLink(parts: SendParts): string {
  const isOpen = (name: string): boolean => (OPEN as readonly string[]).includes(name);
  const open = new URLSearchParams(Object.entries(parts).filter(([name]) => isOpen(name)));
  const hidden = new URLSearchParams(Object.entries(parts).filter(([name]) => !isOpen(name)));
  return `/send${open.size > 0 ? `?${open}` : ''}${hidden.size > 0 ? `#${hidden}` : ''}`;
}
