import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** The three figures of a run. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Counts tests. Failures outside a test count as one each: a file that does not load, a hook of a suite, an error that
 * nobody caught. So `0 failed` means that nothing at all failed. A test that never ran is skipped.
 */
export function countTests(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Counts {
  const counts: Counts = { passed: 0, failed: unhandled.length, skipped: 0 };
  for (const module of modules) {
    for (const suite of [module, ...module.children.allSuites()]) counts.failed += suite.errors().length > 0 ? 1 : 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state === 'pending' ? 'skipped' : state] += 1;
    }
  }
  return counts;
}

/** Prints `N passed, N failed, N skipped` alone on the last line of the output; scripts read that line. */
export class CountsReporter implements Reporter {
  #line = '';

  onInit(): void {
    // At exit, not at the end of the run: closing servers and other reporters may still write.
    process.once('exit', () => {
      if (this.#line) process.stdout.write(`${this.#line}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const { passed, failed, skipped } = countTests(modules, unhandled);
    this.#line = `${passed} passed, ${failed} failed, ${skipped} skipped`;
  }
}
