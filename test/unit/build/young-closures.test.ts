import { runInNewContext } from 'node:vm';
import { parseAst, Visitor } from 'vite';
import { expect, test } from 'vitest';
import { youngClosures } from '../../../src/build/young-closures.ts';

function transformed(code: string): string {
  const chunk = { type: 'chunk', code };
  const { generateBundle } = youngClosures(Visitor);
  if (typeof generateBundle !== 'function') throw new Error('the plugin has no such hook');
  Reflect.apply(generateBundle, { parse: parseAst }, [{}, { 'a.js': chunk, 'a.wasm': { type: 'asset' } }, false]);
  return chunk.code;
}

test.each([
  ['a.b = () => 1;', 'a.b = (0, () => 1);'],
  ['a[b] = async x => x;', 'a[b] = (0, async x => x);'],
  ['a.b ??= function () {};', 'a.b ??= (0, function () {});'],
  ['class A { #b; c() { this.#b = () => 1; } }', 'class A { #b; c() { this.#b = (0, () => 1); } }'],
  ["'…'; a.b = c => (d.e = () => c);", "'…'; a.b = (0, c => (d.e = (0, () => c)));"],
])('%s becomes %s', (code, expected) => {
  expect(transformed(code)).toBe(expected);
});

test.each(['const a = () => 1;', 'a = () => 1;', 'a.b = c;', 'a.b = c(() => 1);', 'x({ a: () => 1, get b() {} });'])(
  '%s stays as it is',
  code => {
    expect(transformed(code)).toBe(code);
  },
);

test('code does what it did', () => {
  const code =
    'const o = { n: 2 }; o.f = function () { return this.n; }; o.g = () => o.f() + 1; [o.g(), o.f.name, o.g.name]';
  expect(runInNewContext(transformed(code))).toEqual(runInNewContext(code));
});
