import { afterAll, afterEach, vi } from 'vitest';
import { forgetTold } from '../leaks/leak-scan.ts';
import { noteFailed } from './failures.ts';

// A worker runs file after file, and this anew for each: none finds what another one left.
forgetTold();
noteFailed(false);

afterEach(({ task }) => {
  if (task.result?.state === 'fail') noteFailed(true);
});
afterAll(() => void vi.useRealTimers());
