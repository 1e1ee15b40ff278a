/** Signals within this time count as one: Ctrl+C reaches every process of a terminal, and npm forwards it again, late where the machine is busy. */
const SAME_WISH_MS = 3_000;

/** Calls `end` once, at SIGTERM, SIGINT or one of `others`. A later second signal exits at once, with status 1. */
export function onEndSignal(end: () => void, others: readonly NodeJS.Signals[] = []): void {
  let askedAtMs: number | null = null;
  const hear = (): void => {
    if (askedAtMs === null) {
      askedAtMs = performance.now();
      end();
    } else if (performance.now() - askedAtMs > SAME_WISH_MS) process.exit(1);
  };
  for (const signal of ['SIGTERM', 'SIGINT', ...others]) process.on(signal, hear);
}
