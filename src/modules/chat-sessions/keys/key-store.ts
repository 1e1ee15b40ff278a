/** The keys of one session in the database, sealed, and kept only while this process owns it. */
import type { KeyRow } from '../../../channels/chat-qr/driver/protocol.ts';
import type { Database } from '../../../db/orm.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../../kernel/crypto/sealed.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { KEEP_KEYS, READ_KEYS, WAS_UNLINKED } from './keys.sql.ts';

const PURPOSE = 'chat-session';

/** The session of a number, and the process that owns it. */
interface OwnedNumber {
  readonly connectionId: string;
  readonly owner: string;
  /** In digits. */
  readonly number: string;
  /** Whether a phone has it as a device by now. */
  readonly isLinked: boolean;
}

/** The keys of one session. */
export class KeyStore {
  readonly #database: Database;
  readonly #keys: KeyRing;
  readonly #connection: string;
  readonly #of: { readonly owner: string; readonly number: string };
  #isLinked: boolean;

  constructor(database: Database, keys: KeyRing, { connectionId, isLinked, ...of }: OwnedNumber) {
    this.#database = database;
    this.#keys = keys;
    this.#connection = toUuid(connectionId);
    this.#of = of;
    this.#isLinked = isLinked;
  }

  /** The values of one kind, by id. One that no key opens is not there: the chat makes it anew. @throws errors of the database */
  async get(kind: string, ids: readonly string[]): Promise<Record<string, string>> {
    const rows = await READ_KEYS.run(this.#database.sql(), { connection: this.#connection, kind, ids });
    return Object.fromEntries(
      rows.flatMap(({ id, value, key_id }) => {
        const opened = openKey(this.#keys, { connection: this.#connection, kind, id, value, keyId: key_id });
        return opened === null ? [] : [[id, opened]];
      }),
    );
  }

  /**
   * Stores keys and credentials in one transaction. Those of a number that was just unlinked are let go: refused, its phone could not be told.
   * @throws an Error where another process owns the session, or errors of the database: nothing is stored
   */
  async keep(rows: readonly KeyRow[], creds: string | null): Promise<void> {
    // A later one of the same key is the one that counts.
    const newest = new Map(rows.map(row => [JSON.stringify(row.slice(0, 2)), row]));
    const keys = [...newest.values()].map(([kind, id, value]) => ({ kind, id, ...this.#seal(kind, id, value) }));
    const sealed = this.#seal('', '', creds);
    const given = { keys, creds: sealed.value, credsKeyId: creds === null ? null : sealed.key_id };
    const kept = await KEEP_KEYS.first(this.#database.sql(), {
      connection: this.#connection,
      ...this.#of,
      ...given,
    });
    if (kept) this.#isLinked ||= creds !== null;
    else if (!(await this.#wasUnlinked())) throw new Error('another process owns the session');
  }

  /** Whether the number was linked, and is nobody's any more. */
  async #wasUnlinked(): Promise<boolean> {
    const where = { connection: this.#connection };
    return this.#isLinked && (await WAS_UNLINKED.first(this.#database.sql(), where)) !== undefined;
  }

  #seal(kind: string, id: string, value: string | null): { readonly value: string | null; readonly key_id: string } {
    if (value === null) return { value, key_id: this.#keys.currentId };
    return sealKey(this.#keys, { connection: this.#connection, kind, id }, value);
  }
}

/** The place of a key; that of credentials has neither kind nor id. */
interface KeyPlace {
  /** A uuid. */
  readonly connection: string;
  readonly kind: string;
  readonly id: string;
}

/** Seals a key for its place, in which alone it opens. */
export function sealKey(keys: KeyRing, place: KeyPlace, value: string): { value: string; key_id: string } {
  const { keyId, sealed } = seal(keys, PURPOSE, value, contextOf(place));
  return { value: sealed, key_id: keyId };
}

/** Opens a key; null: its secret key is lost. */
export function openKey(
  keys: KeyRing,
  { value, keyId, ...place }: KeyPlace & { readonly value: string; readonly keyId: string },
): string | null {
  return unseal(keys, PURPOSE, { keyId, sealed: value }, contextOf(place));
}

function contextOf({ connection, kind, id }: KeyPlace): string {
  return `${connection} ${kind} ${id}`;
}
