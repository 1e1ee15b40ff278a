/** Links to the log. */

/** The attempts in the log, filtered as its page reads it from the URL: a row for each that is counted. */
export function attemptsLink(filter: Readonly<Record<string, string>>): string {
  return `/logs?${new URLSearchParams({ ...filter, view: 'attempts' })}`;
}

/** The messages and passcodes in the log, a row for each. */
export function sendsLink(filter: Readonly<Record<string, string>>): string {
  return `/logs?${new URLSearchParams(filter)}`;
}
