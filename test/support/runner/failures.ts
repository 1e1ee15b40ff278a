import { afterEach } from 'vitest';

let failed = false;

/** Whether a test of this file has failed so far. */
export function hasFailedTest(): boolean {
  return failed;
}

// Named as a setup file, so the hook belongs to every test of every file; each file has its own copy of this module.
afterEach(({ task }) => {
  if (task.result?.state === 'fail') failed = true;
});
