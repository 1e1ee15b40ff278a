import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { README, withSettings } from '../support/readme.ts';

const text = readFileSync(README, 'utf8');

it('shows every setting as the schema has it', () => {
  expect(withSettings(text), 'run npm run readme').toBe(text);
});

it('holds the two lines as they are typed', () => {
  expect(text).toContain('\nnpm ci && npm start\n');
  expect(text).toContain('\nnpm ci && npm test\n');
});
