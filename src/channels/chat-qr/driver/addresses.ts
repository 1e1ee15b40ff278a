/** Numbers that the chat writes with other digits than people do: some of Brazil and Mexico. Both addresses are kept among the keys. */
import type { KeyStore } from './library.ts';

/** The kind of key of the chat's address, by ours. */
export const CHAT_ADDRESS = 'chat-address';

/** The kind of key of our address, by the chat's. */
export const OUR_ADDRESS = 'our-address';

/** The other address where one is kept, or the same. */
export async function recall(keys: KeyStore, kind: string, address: string): Promise<string> {
  const { [address]: other } = await keys.get(kind, [address]);
  return typeof other === 'string' ? other : address;
}
