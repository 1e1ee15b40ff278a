/** The changelog by release. */
import { ReleaseRefusal } from './refusal.ts';

const UNRELEASED = '## [Unreleased]\n';

/** The changelog with what was unreleased under the version and its day, `2026-12-31`. @throws ReleaseRefusal where nothing is */
export function releaseChangelog(changelog: string, version: string, day: string): string {
  const [head, rest] = changelog.split(UNRELEASED);
  if (head === undefined || rest === undefined)
    throw new ReleaseRefusal('CHANGELOG.md has no heading "## [Unreleased]": write it above the newest release.');
  const [news = ''] = rest.split('\n## [');
  if (news.trim() === '')
    throw new ReleaseRefusal('CHANGELOG.md has nothing under "## [Unreleased]": write down what users will see.');
  return `${head}${UNRELEASED}\n## [${version}] - ${day}\n${rest}`;
}
