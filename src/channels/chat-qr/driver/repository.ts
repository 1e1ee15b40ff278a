/**
 * The keeper of encrypted conversations, which stores each step of their keys at once. The library gathers the steps in a transaction, and
 * commits them after the message has left. A process that dies between would use a key a second time.
 */
import type { KeyData, KeyStore, Library, MakeRepository } from './library.ts';
import { beginSealing, markSealed } from './outgoing.ts';

/** The kinds that no transaction of the library holds back. */
const AT_ONCE: ReadonlySet<string> = new Set(['session', 'identity-key']);

/** Gives the maker of such a keeper. @param store the place of the steps */
export function storingAtOnce(library: Library, store: KeyStore): MakeRepository {
  return (auth, logger, findLids) => {
    const keys = atOnce(auth.keys, store);
    const inner = library.DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ ...auth, keys }, logger, findLids);
    return {
      ...inner,
      async encryptMessage({ jid, data }) {
        // Both addresses of a person share one session. The library queues its steps by address: one address, one queue.
        const lid = await inner.lidMapping.getLIDForPN(jid);
        beginSealing();
        const sealed = await inner.encryptMessage({ jid: lid ?? jid, data });
        markSealed();
        return sealed;
      },
    };
  };
}

/** Keys whose sessions go by the store directly, and all else by the library's transactions. */
function atOnce(keys: KeyStore, store: KeyStore): KeyStore {
  return {
    ...keys,
    get: (kind, ids) => (AT_ONCE.has(kind) ? store.get(kind, ids) : keys.get(kind, ids)),
    async set(data) {
      const [now, later] = [pick(data, kind => AT_ONCE.has(kind)), pick(data, kind => !AT_ONCE.has(kind))];
      if (now) await store.set(now);
      if (later) await keys.set(later);
    },
  };
}

function pick(data: KeyData, has: (kind: string) => boolean): KeyData | null {
  const picked = Object.entries(data).filter(([kind]) => has(kind));
  return picked.length > 0 ? Object.fromEntries(picked) : null;
}
