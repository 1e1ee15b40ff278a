/** The README and the pages of `docs/`: their headings, links and commands, and the parts that `npm run docs` writes into them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHANNEL_FACTS, CHANNELS } from '../../../src/kernel/channel.ts';
import { ERRORS } from '../../../src/kernel/errors.ts';
import { mayRole, RIGHT_NAMES, RIGHTS, ROLES } from '../../../src/kernel/role.ts';
import { settingsTable } from '../../../src/kernel/settings/settings.ts';
import { KINDS } from '../../../src/modules/alerts/alert-kinds.ts';
import { ALERT_KINDS, type AlertKind } from '../../../src/modules/answers/alert-kind.ts';
import { describeEventData, EVENTS } from '../../../src/modules/webhooks/events/webhook-events.ts';
import { routes } from '../../../src/rest/routes.ts';
import { REPOSITORY } from '../repository.ts';

/** The root of the project. */

/** A file in Markdown. */
export interface Page {
  /** Its path from the root of the project. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block. */
export interface Block {
  /** The first word behind the fence: its language. */
  readonly language: string;
  /** The second word; empty where there is none. */
  readonly note: string;
  readonly code: string;
  /** The lines of its fences, from 1. */
  readonly line: number;
  readonly lastLine: number;
}

/** A link to a file of the project. */
export interface Link {
  /** As it is written. */
  readonly written: string;
  /** The path of its file from the root of the project. */
  readonly path: string;
  /** The anchor behind `#`; empty where there is none. */
  readonly anchor: string;
}

/** One page, by its path from the root of the project. */
export function readPage(path: string): Page {
  return { path, text: readFileSync(join(REPOSITORY, path), 'utf8') };
}

/** The README and every page of `docs/` and its folders. */
export function readPages(): Page[] {
  const names = readdirSync(join(REPOSITORY, 'docs'), { encoding: 'utf8', recursive: true }).filter(name =>
    name.endsWith('.md'),
  );
  return ['README.md', ...names.sort().map(name => `docs/${name}`)].map(readPage);
}

/** The fenced blocks of a page, from its beginning to its end. */
export function blocksOf({ text }: Page): Block[] {
  return [...text.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = '', 2: note = '', 3: code = '', index }) => {
      const line = text.slice(0, index).split('\n').length;
      return { language, note, code, line, lastLine: line + code.split('\n').length };
    },
  );
}

/** The text of a page without its fenced blocks, in which `#` and `[]()` mean other things. */
const proseOf = ({ text }: Page): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The headings of a page, without their marks. */
export function headingsOf(page: Page): string[] {
  return [...proseOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(match => match[1] ?? '');
}

/** The anchors of a page, as GitHub makes them from its headings. */
export function anchorsOf(page: Page): string[] {
  return headingsOf(page).map(heading =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** The links of a page that lead to files of the project. */
export function linksOf(page: Page): Link[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(match => match[1] ?? '');
  return targets
    .filter(target => !/^[a-z]+:/.test(target))
    .map(written => {
      const [file = '', anchor = ''] = written.split('#');
      return { written, anchor, path: file === '' ? page.path : join(dirname(page.path), file) };
    });
}

/** The rows of a table in Markdown. */
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');

/** `100 credits; lasting 5 min, quiet 60 min`. */
function offerOf(kind: AlertKind): string {
  const { unit, offer } = KINDS[kind];
  const threshold = unit === null ? '' : `${offer.threshold} ${unit}; `;
  return `${threshold}lasting ${offer.lastingMinutes} min, quiet ${offer.quietMinutes} min`;
}

/** The parts that come from the sources, by the name of their place. */
const PARTS: Readonly<Record<string, () => string>> = {
  settings: () =>
    table(
      ['variable', 'default', 'meaning'],
      settingsTable().map(({ name, default: value, meaning }) => [`\`${name}\``, value, meaning]),
    ),
  errors: () =>
    table(
      ['status', 'code', 'title'],
      Object.entries(ERRORS).map(([code, { status, title }]) => [String(status), `[\`${code}\`](#${code})`, title]),
    ),
  events: () =>
    table(
      ['event', 'when'],
      EVENTS.map(({ name, meaning }) => [`\`${name}\``, meaning]),
    ),
  channels: () =>
    table(
      ['channel', 'is and needs', 'a segment costs'],
      CHANNELS.map(channel => {
        const { meaning, isPaid } = CHANNEL_FACTS[channel];
        return [`\`${channel}\``, meaning, isPaid ? '1 credit' : 'nothing'];
      }),
    ),
  alerts: () =>
    table(
      ['kind', 'tells that', 'offered'],
      ALERT_KINDS.map(kind => [`\`${kind.toUpperCase()}\``, KINDS[kind].meaning, offerOf(kind)]),
    ),
  roles: () =>
    table(
      ['who may', ...ROLES],
      RIGHT_NAMES.map(right => [RIGHTS[right], ...ROLES.map(role => (mayRole(role, right) ? 'yes' : ''))]),
    ),
  data: describeEventData,
  paths: () =>
    table(
      ['path', 'token', 'does'],
      routes.map(({ method, path, facts }) => [
        `\`${method} ${path}\``,
        facts.area === 'any' ? 'any' : `\`${facts.area}\``,
        facts.summary,
      ]),
    ),
};

/** A page with its generated parts as they must be. */
export function withParts(text: string): string {
  return text.replaceAll(
    /^(<!-- (\w+): generated by `npm run docs` -->\n)[\s\S]*?(<!-- \/\2 -->)$/gm,
    (_all, start, name, end) => {
      const make = PARTS[name];
      if (!make) throw new Error(`there is no generated part "${name}"`);
      return `${start}${make()}\n${end}`;
    },
  );
}

/** The names of the generated parts that a page has. */
export function partsOf({ text }: Page): string[] {
  return [...text.matchAll(/^<!-- (\w+): generated by `npm run docs` -->$/gm)].map(match => match[1] ?? '');
}

/** The names of all generated parts. */
export const PART_NAMES = Object.keys(PARTS);

if (import.meta.main)
  for (const { path, text } of readPages()) {
    const written = withParts(text);
    if (written !== text) writeFileSync(join(REPOSITORY, path), written);
  }
