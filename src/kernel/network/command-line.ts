/** What the command line calls itself, over HTTP and in process. */

/** Its `User-Agent`: what it makes is shown as made there. */
export const COMMAND_LINE_AGENT = 'Heliograph-CLI';
