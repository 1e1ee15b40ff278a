/** Messages between the first process and those that serve, where `PROCESSES` is above 1. */

/** A serving process listens at this address. */
export interface Listening {
  readonly type: 'heliograph:listening';
  readonly url: string;
}

/** A serving process is to end, while others go on: they take the new connections. */
export interface Leave {
  readonly type: 'heliograph:leave';
}

/** Whether a message says that a process listens; other parts of Node and of libraries talk by the same channel. */
export function isListening(message: unknown): message is Listening {
  return hasType(message) && message.type === ('heliograph:listening' satisfies Listening['type']);
}

/** Whether a message asks a process to leave. */
export function isLeave(message: unknown): message is Leave {
  return hasType(message) && message.type === ('heliograph:leave' satisfies Leave['type']);
}

function hasType(message: unknown): message is { readonly type: unknown } {
  return typeof message === 'object' && message !== null && 'type' in message;
}
