/** The name of the command line, over HTTP and in process. */

/** Its `User-Agent`. Rows that it makes are shown as made there. */
export const COMMAND_LINE_AGENT = 'Heliograph-CLI';
