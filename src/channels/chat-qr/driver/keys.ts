/** The keys and the credentials of a number. The gateway stores them; the driver has a cache in front. */
import { type Creds, type KeyData, type KeyStore, type Library, SILENT } from './library.ts';
import type { Link } from './link.ts';
import type { KeyRow } from './protocol.ts';

/** The keys of a number. */
export interface Keys extends KeyStore {
  /** Stores the credentials, as they are now. */
  saveCreds(creds: Creds): void;
  /** Waits until everything that was set so far is stored. @throws from the first refusal on */
  stored(): Promise<void>;
}

/** Opens the keys of a number. @param onRefusal called when the gateway refuses: memory and store differ from then on */
export function openKeys(library: Library, link: Link, connectionId: string, onRefusal: () => void): Keys {
  const { BufferJSON, proto } = library;
  const encode = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer);
  let stored: Promise<unknown> = Promise.resolve();

  const guarded = <Value>(asked: Promise<Value>): Promise<Value> => {
    asked.catch(onRefusal);
    return asked;
  };
  const save = (keys: readonly KeyRow[], creds: string | null): Promise<void> => {
    const saved = guarded(link.ask({ type: 'set', connectionId, keys, creds }));
    stored = Promise.all([stored, saved]);
    stored.catch(() => undefined);
    return saved.then(() => undefined);
  };
  const decode = (kind: string, text: string): unknown => {
    const value: unknown = JSON.parse(text, BufferJSON.reviver);
    return kind === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value) : value;
  };

  const store = library.makeCacheableSignalKeyStore(
    {
      async get(kind, ids) {
        const values = await guarded(link.ask({ type: 'get', connectionId, kind, ids }));
        return Object.fromEntries(Object.entries(values).map(([id, text]) => [id, decode(kind, text)]));
      },
      async set(data) {
        const rows = rowsOf(data, encode);
        if (rows.length > 0) await save(rows, null);
      },
    },
    SILENT,
  );
  let last = '';
  return {
    get: (kind, ids) => store.get(kind, ids),
    set: data => store.set(data),
    saveCreds(creds) {
      const text = encode(creds);
      if (text === last) return;
      last = text;
      save([], text).catch(() => undefined);
    },
    stored: () => stored.then(() => undefined),
  };
}

function rowsOf(data: KeyData, encode: (value: unknown) => string): KeyRow[] {
  return Object.entries(data).flatMap(([kind, values]) =>
    Object.entries(values).map(([id, value]): KeyRow => [kind, id, value == null ? null : encode(value)]),
  );
}
