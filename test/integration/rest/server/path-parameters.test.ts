import { expect, test } from 'vitest';
import { type StyledPath, styleOf } from '../../../../src/rest/http.ts';

const PATHS: readonly StyledPath[] = [
  { path: '/gardens/:garden/plants/:id', facts: { failureStyle: 'plant' } },
  { path: '/gardens/:garden/logs', facts: {} },
];

test.each([
  ['/gardens/north/plants/7', 'plant'],
  ['/gardens/north/plants/7/', 'plant'],
  ['/gardens/north/plants/', 'problem'],
  ['/gardens/north/plants/7/8', 'problem'],
  ['/gardens/north/logs', 'problem'],
  ['/graphql', 'graphql'],
])('the failures of %s have the style %s', (path, style) => {
  expect(styleOf(PATHS, path)).toBe(style);
});
