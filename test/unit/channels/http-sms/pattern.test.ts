import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { firstMatch, readPattern } from '../../../../src/channels/http-sms/pattern.ts';
import { measureCpu } from '../../../support/measure-cpu.ts';

beforeEach(() => {
  vi.useFakeTimers({ fakeNodeBuiltins: true, toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function read(text: string): RegExp {
  const pattern = readPattern(text);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern;
}

test('finds what matches, as the language does', () => {
  expect(firstMatch(read('/id=(\\S+)/'), '0: ok id=é😀7 x')?.[1]).toBe('é😀7');
  expect(firstMatch(read('/^a.b$/'), 'a😀b')?.[0]).toBe('a😀b');
  expect(firstMatch(read('/x/'), 'abc')).toBeNull();
});

test('a simple pattern is quick on the worst of short bodies', async () => {
  vi.useRealTimers();
  for (const text of ['/a+b/', '/a*$/', '/(a)\\1*b/', '/(?:aa)b/']) {
    const { result, cpuMs } = await measureCpu(() => firstMatch(read(text), `${'a'.repeat(999)}!`));
    expect(result?.[0] ?? '').toBe('');
    expect(cpuMs).toBeLessThan(500);
  }
});

test.each([
  '/(a+)+$/',
  '/^(a|a)*$/',
  `/${'(a|a)'.repeat(60)}b/`,
  `/${'a?'.repeat(22)}${'a'.repeat(22)}b/`,
  '/(.*)*x/',
  '/(a*)*\\1b/',
])('%s is stopped on a body made for it', text => {
  expect(() => firstMatch(read(text), `${'a'.repeat(900)}!`)).toThrow(/timed out/);
});

test('what was stopped rests for a minute, on any body, and no other pattern does', () => {
  const pattern = read('/(a+)+$/');
  const other = read('/(a+)+$/');
  expect(() => firstMatch(pattern, `${'a'.repeat(60_000)}!`)).toThrow(/timed out/);
  expect(firstMatch(other, 'a')?.[1]).toBe('a');
  vi.advanceTimersByTime(59_999);
  expect(() => firstMatch(pattern, 'a')).toThrow('a moment ago');
  vi.advanceTimersByTime(1);
  expect(firstMatch(pattern, 'a')?.[1]).toBe('a');
});
