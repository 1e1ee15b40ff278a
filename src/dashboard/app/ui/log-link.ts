/** Links to the log. */

/** The log, filtered as its page reads it from the URL. */
export function logLink(filter: Readonly<Record<string, string>>): string {
  return `/logs?${new URLSearchParams(filter)}`;
}
