/**
 * The scan for secrets (contract §5). No row, job, log line or answer may hold the code of an OTP, or its text. The secret of a webhook
 * may stand in the answer that shows it once, and nowhere else. Codes are derived again from the `otps` of a database when a test
 * drops it. The scan looks for them in everything that the database holds and that was told by then. Pins that were purged, or whose
 * key no test knows, have no code that could be derived.
 *
 * A code is found as a run of digits of its own, whatever stands beside it. A chance hit takes another number of as many digits: for
 * six digits the chance is 10^-6 for each such number. Long hex (ids, MACs, nonces), timestamps and fractions hold such numbers in
 * their thousands, so they are cut out first. A few constants of the tests are left. Shorter codes (a year has four digits) are found
 * by the line of their text. So are codes whose template puts digits beside them.
 */
import type { KeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { codeOf } from '../../../src/modules/otp/send/code.ts';
import { type Autofill, renderText } from '../../../src/modules/otp/send/text.policy.ts';
import { createLogger, type Logger } from '../../../src/observability/logger.ts';

/** A place that holds a code. */
export interface Leak {
  /** Such as `public.attempts.error_message`, or what the log or the answer belongs to. */
  readonly place: string;
  /** The text around the code, its digits masked. */
  readonly around: string;
}

/** Runs one statement on the database that is looked at. */
export type Read = <Row>(sql: string) => Promise<readonly Row[]>;

/** Secrets that must be found nowhere. */
export interface Secrets {
  /** Codes that are found as a number. */
  readonly codes: ReadonlySet<string>;
  /** For the others: the lines of their texts that hold them, as they are and as JSON writes them. */
  readonly lines: ReadonlySet<string>;
}

/** The shortest code that is looked for as a number. */
const DIGITS_MIN = 6;

/** How many characters beside the code a line has, so that it is no mere number. */
const LINE_REST_MIN = 4;

const AROUND_LENGTH = 60;

/** The secret of a webhook. A sealed one leaves nothing that could be found. */
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/]{20,}/;

/** Operations that show the texts on the sandbox's phones. */
const SHOWS_PHONES = /sandbox(?:Message|Phones|Receipt|WaitFor)/;

/** Operations that show the secret of a webhook, once. */
const SHOWS_SECRET = /createWebhookEndpoint|rotateWebhookSecret/;

/** UUIDs and other hex of 16 digits or more, timestamps, fractions. */
const NOISE =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?|[0-9]+\.[0-9]+/gi;

/** Columns that hold texts of OTPs on purpose, or other digits: MACs, hashes, ids that callers choose, starts of recipients. */
const LEFT_OUT: readonly string[] = [
  'public.sandbox_messages.text',
  // A person's own words, even where they are a code.
  'public.inbound_messages.text',
  'public.otps.nonce',
  'public.otps.key_id',
  'public.otps.code_mac',
  // Of the decoy, as many as there can be.
  'public.otps.attempts_max',
  'public.otp_traffic.place',
  'public.tokens.hash',
  'public.tokens.prefix',
  'public.dashboard_users.password_hash',
  'public.idempotency_keys.fingerprint',
  'public.plants.id',
  // A balance may be any number.
  'public.accounts.credits',
];

/** Every column that could hold a code, whatever table it is in; times and UUIDs cannot. A partition is read through its table. */
const COLUMNS = `
  select n.nspname as schema, c.relname as name, a.attname as column
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  join pg_type t on t.oid = a.atttypid left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
  where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'm') and not c.relispartition
    and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and coalesce(e.typname, t.typname) not in ('uuid', 'timestamptz', 'timestamp', 'date', 'interval', 'bool')
    -- The settings of the queue are whole numbers, of six digits where they are seconds.
    and not (n.nspname = 'pgboss' and coalesce(e.typname, t.typname) in ('int4', 'int8'))
  order by 1, 2, a.attnum`;

/** The OTPs, as far as their texts are made from them. The decoy has neither a nonce nor a code. */
const OTPS = `
  select replace(id::text, '-', '') as id, nonce, key_id, length, template, expires_in, autofill from otps where nonce <> ''`;

interface OtpRow {
  readonly id: string;
  readonly nonce: string;
  readonly key_id: string;
  readonly length: number;
  readonly template: string;
  readonly expires_in: number;
  readonly autofill: Autofill | null;
}

const rings = new Set<() => KeyRing | null>();

/** Tells the scan of a key ring that tests make OTPs with, until the returned function is called. The ring is read when a database is looked at. */
export function rememberKeys(ring: () => KeyRing | null): () => void {
  rings.add(ring);
  return () => void rings.delete(ring);
}

/** The secrets of the OTPs of a database; none where it has no such table. */
export async function readSecrets(read: Read): Promise<Secrets> {
  const [table] = await read<{ name: string | null }>(`select to_regclass('public.otps')::text as name`);
  const rows = table?.name ? await read<OtpRow>(OTPS) : [];
  const known = [...rings].flatMap(ring => ring() ?? []);
  const codes = new Set<string>();
  const lines = new Set<string>();
  for (const { id, nonce, key_id: keyId, length, expires_in: expiresIn, template, autofill } of rows) {
    const seed = { id: `pin_${id}`, nonce, keyId, length };
    const code = known.flatMap(ring => codeOf(ring, seed) ?? [])[0];
    if (code === undefined) continue;
    if (length >= DIGITS_MIN) codes.add(code);
    const text = renderText({ template, code, expiresIn, autofill, channel: 'sms' });
    for (const line of text.split(/\r?\n/)) {
      if (!line.includes(code) || line.length < length + LINE_REST_MIN || numbersIn(line).has(code)) continue;
      lines.add(line).add(JSON.stringify(line).slice(1, -1));
    }
  }
  return { codes, lines };
}

/** The places where a database holds one of its own secrets. */
export async function findInDatabase(read: Read, secrets: Secrets): Promise<Leak[]> {
  const columns = await read<{ schema: string; name: string; column: string }>(COLUMNS);
  const tables = Map.groupBy(
    columns.filter(({ schema, name, column }) => !LEFT_OUT.includes(`${schema}.${name}.${column}`)),
    ({ schema, name }) => `"${schema}"."${name}"`,
  );
  if (tables.size === 0) return [];
  // Most tables of a test are empty, and a statement for each column of all takes as long as a short test.
  const questions = [...tables.keys()].map((table, index) => `exists (select from ${table}) as "${index}"`);
  const [filled = {}] = await read<Readonly<Record<string, boolean>>>(`select ${questions.join(', ')}`);
  const leaks: Leak[] = [];
  for (const [index, [table, own]] of [...tables].entries()) {
    if (filled[index] !== true) continue;
    const texts = own.map(
      ({ column }, at) =>
        `select ${at} as at, text from (select distinct "${column}"::text as text from ${table}) d where text ~ '[0-9]{4}|whsec_'`,
    );
    for (const { at, text } of await read<{ at: number; text: string }>(texts.join(' union all '))) {
      const { schema, name, column } = own[at] ?? { schema: '', name: '', column: '' };
      leaks.push(...findInText(`${schema}.${name}.${column}`, text, secrets));
    }
  }
  return leaks;
}

/** The places where a text holds a secret, each secret once. */
export function findInText(place: string, text: string, { codes, lines }: Secrets): Leak[] {
  const found: number[] = [];
  if (codes.size > 0) for (const [number, at] of numbersIn(text)) if (codes.has(number)) found.push(at);
  for (const line of lines) if (text.includes(line)) found.push(text.indexOf(line));
  const shown = WEBHOOK_SECRET.exec(text);
  if (shown) found.push(shown.index);
  return found.map(at => ({ place, around: mask(text.slice(Math.max(0, at - AROUND_LENGTH), at + AROUND_LENGTH)) }));
}

/** The numbers of a text that could be codes, and where the first of each stands. */
function numbersIn(text: string): Map<string, number> {
  const clean = text.replaceAll(NOISE, noise => ' '.repeat(noise.length));
  const found = new Map<string, number>();
  for (const { 0: number, index } of clean.matchAll(/(?<![0-9])[0-9]{6,10}(?![0-9])/g))
    if (!found.has(number)) found.set(number, index);
  return found;
}

function mask(text: string): string {
  return text.replaceAll(/[0-9]{4,}|(?<=whsec_)\S+/g, secret => '•'.repeat(secret.length));
}

/** Texts that were told outside of a database: lines of logs, and answers. */
export class Told {
  readonly #texts: { readonly place: string; readonly text: string }[] = [];

  /** Forgets all of it. */
  forget(): void {
    this.#texts.length = 0;
  }

  /** Notes what stands at a place. */
  note(place: string, text: string): void {
    this.#texts.push({ place, text });
  }

  /** Notes an answer: all of it, or its errors where what was asked for shows secrets: the sandbox's phones, and a webhook's secret. Pages are no answers. */
  noteAnswer(
    { place, asked }: { readonly place: string; readonly asked: string },
    headers: Headers,
    text: string,
  ): void {
    if (!/json|event-stream/.test(headers.get('content-type') ?? '')) return;
    this.note(place, SHOWS_PHONES.test(asked) || SHOWS_SECRET.test(asked) ? errorsOf(text) : text);
  }

  /** Notes the names and labels of metrics; their values count bytes and seconds. */
  noteMetrics(exposition: string): void {
    this.note('the metrics', exposition.replaceAll(/^#.*$| \S+$/gm, ''));
  }

  /**
   * Notes from now on what `fetch` is answered in this process, whoever asks; what never ends (feeds) is not. The function that it
   * gives waits for the answers that are still being read.
   */
  watchFetch(): () => Promise<unknown> {
    const own = globalThis.fetch;
    const underWay: Promise<unknown>[] = [];
    globalThis.fetch = async (input, init) => {
      const response = await own(input, init);
      if (!response.headers.get('content-type')?.includes('json')) return response;
      const { headers, url } = response;
      const noted = response.clone().text();
      const about = { place: `an answer of ${url}`, asked: `${url} ${String(init?.body)}` };
      underWay.push(noted.then(text => this.noteAnswer(about, headers, text)));
      return response;
    };
    return () => Promise.allSettled(underWay.splice(0));
  }

  /** A log at the level that holds most, whose lines are noted. */
  logger(): Logger {
    return createLogger('trace', { write: line => this.note('the process log', line) });
  }

  /** The places where a told text holds a secret. */
  find(secrets: Secrets): Leak[] {
    return this.#texts.flatMap(({ place, text }) => findInText(place, text, secrets));
  }
}

/** The errors of an answer in GraphQL. */
function errorsOf(text: string): string {
  const { errors }: { errors?: unknown } = JSON.parse(text);
  return JSON.stringify(errors ?? null);
}

/** Everything that this test file was told. */
export const TOLD = new Told();

const seen: Secrets[] = [];

/** Forgets what the file before this one was told. */
export function forgetTold(): void {
  TOLD.forget();
  seen.length = 0;
}

/** Looks for the secrets of a database in it and in everything that was told; call it before the database is dropped. */
export async function scan(read: Read): Promise<Leak[]> {
  const secrets = await readSecrets(read);
  seen.push(secrets);
  return [...(await findInDatabase(read, secrets)), ...TOLD.find(secrets)];
}

/** Looks for the secrets of every database so far in everything that was told. */
export function scanTold(): Leak[] {
  return seen.flatMap(secrets => TOLD.find(secrets));
}

/** @throws Error where there is a leak, naming each place once. */
export function refuseLeaks(leaks: readonly Leak[]): void {
  if (leaks.length === 0) return;
  const places = new Map(leaks.map(({ place, around }) => [place, around]));
  throw new Error(
    `secrets are where they must not be:\n${[...places].map(([place, around]) => `${place}: …${around}…`).join('\n')}`,
  );
}
