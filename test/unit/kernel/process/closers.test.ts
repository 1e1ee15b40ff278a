import { expect, test } from 'vitest';
import { Closers } from '../../../../src/kernel/process/closers.ts';

test('who asks for the close while it is under way waits until all is closed', async () => {
  const closers = new Closers(error => {
    throw error;
  });
  let isClosed = false;
  closers.add(() => {
    isClosed = true;
  });
  closers.add(() => new Promise(resolve => setImmediate(resolve)));
  void closers.close();
  await closers.close();
  expect(isClosed).toBe(true);
});
