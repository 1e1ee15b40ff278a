let failed = false;

/** Whether a test of this file has failed so far. */
export function hasFailedTest(): boolean {
  return failed;
}

/** Notes that a test has failed, or, before a file's first test, that none has. */
export function noteFailed(value: boolean): void {
  failed = value;
}
