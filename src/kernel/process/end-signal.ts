/** The wish that this process ends. */

/**
 * Signals within this time are one wish: Ctrl+C reaches every process of a terminal, npm hands it on to its child once more, and a
 * supervisor may signal both.
 */
const SAME_WISH_MS = 1_000;

/** Calls `end` once, at SIGTERM or SIGINT. A second signal is from somebody who does not want to wait: it exits at once, with status 1. */
export function onEndSignal(end: () => void): void {
  let askedAtMs: number | null = null;
  const hear = (): void => {
    if (askedAtMs === null) {
      askedAtMs = performance.now();
      end();
    } else if (performance.now() - askedAtMs > SAME_WISH_MS) process.exit(1);
  };
  process.on('SIGTERM', hear);
  process.on('SIGINT', hear);
}
