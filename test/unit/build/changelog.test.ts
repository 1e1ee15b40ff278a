import { expect, it } from 'vitest';
import { releaseChangelog } from '../../../src/build/release/changelog.ts';

const HEAD = '# Changelog\n\n';

it('puts what was unreleased under the version and its day, above the former release', () => {
  const former = '## [0.1.0] - 2026-01-01\n\n- First.\n';
  expect(releaseChangelog(`${HEAD}## [Unreleased]\n\n- News.\n\n${former}`, '0.2.0', '2026-02-03')).toBe(
    `${HEAD}## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n- News.\n\n${former}`,
  );
});

it.each([
  ['there is no heading for news', HEAD, 'has no heading "## [Unreleased]"'],
  ['nothing is new', `${HEAD}## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- First.\n`, 'has nothing under'],
])('refuses a release where %s', (_what, changelog, message) => {
  expect(() => releaseChangelog(changelog, '0.2.0', '2026-02-03')).toThrow(message);
});
