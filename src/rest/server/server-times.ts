/** How long a client may take, in milliseconds. */
export interface ServerTimes {
  /** For the headers of a request. */
  readonly headersMs: number;
  /** For a whole request, its body too. */
  readonly requestMs: number;
  /** Between two requests of a connection; a second more to the whole head of the next one, whatever else comes. */
  readonly keepAliveMs: number;
  /** Without taking a byte of an answer, until the look that finds it. */
  readonly unreadMs: number;
  /** How often all connections are looked at. */
  readonly checkEveryMs: number;
}

/** The times of every server: nobody holds a connection for longer than 10 s without doing something. */
export const SERVER_TIMES: ServerTimes = {
  headersMs: 5_000,
  requestMs: 8_000,
  keepAliveMs: 5_000,
  unreadMs: 6_000,
  checkEveryMs: 500,
};
