import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { boundUnread } from '../../../src/rest/server/unread-answers.ts';

const KIB = 1024;

/** How often all connections are looked at while so many answers of so many bytes are written in one turn. */
function looksFor(answers: number, bytes: number): number {
  let looks = 0;
  const unread = boundUnread(() => {
    looks++;
    return [{ socket: new Socket(), bytes }];
  });
  for (let answer = 0; answer < answers; answer++) unread.countWritten(bytes);
  return looks;
}

test('connections are looked at once for every four mebibytes, however many answers these are', () => {
  expect(looksFor(1_000, 4 * KIB)).toBe(0);
  expect(looksFor(2_048, 64 * KIB)).toBe(32);
  expect(looksFor(32, 4_096 * KIB)).toBe(32);
});
