/** A person of a rehearsal, with a phone that has real Signal keys: texts to it are decrypted, and its texts are encrypted. */
import type { KeyPair, Node, Packages, PeerMessage } from './peer-library.ts';

/** The keys of a linked device, by which a person begins to write to it. */
export interface DeviceBundle {
  readonly registrationId: number;
  readonly identityKey: Uint8Array;
  readonly signedPreKey: { readonly keyId: number; readonly publicKey: Uint8Array; readonly signature: Uint8Array };
  readonly preKey: { readonly keyId: number; readonly publicKey: Uint8Array } | undefined;
}

/** The id of a number in the chat, which is not its digits. */
export function lidOf(number: string): string {
  return `7${[...number].reverse().join('')}`;
}

/** A person. */
export class Person {
  readonly number: string;
  readonly #packages: Packages;
  readonly #identity: KeyPair;
  readonly #signed: ReturnType<Packages['library']['signedKeyPair']>;
  readonly #preKeys = new Map<number, KeyPair>();
  readonly #sessions = new Map<string, unknown>();

  constructor(packages: Packages, number: string) {
    this.#packages = packages;
    this.number = number;
    this.#identity = packages.library.Curve.generateKeyPair();
    this.#signed = packages.library.signedKeyPair(this.#identity, 1);
  }

  /** The bundle of keys by which a device begins to write to this person. */
  bundle(jid: string): Node {
    const { library } = this.#packages;
    const id = this.#preKeys.size + 1;
    const preKey = library.Curve.generateKeyPair();
    this.#preKeys.set(id, preKey);
    return {
      tag: 'user',
      attrs: { jid },
      content: [
        { tag: 'registration', attrs: {}, content: library.encodeBigEndian(1) },
        { tag: 'type', attrs: {}, content: Buffer.from([5]) },
        { tag: 'identity', attrs: {}, content: this.#identity.public },
        library.xmppSignedPreKey(this.#signed),
        library.xmppPreKey(preKey, id),
      ],
    };
  }

  /** Decrypts a message of a device. */
  async decrypt(device: string, type: string, sealed: Uint8Array): Promise<PeerMessage> {
    const { library, signal } = this.#packages;
    const cipher = new signal.SessionCipher(this.#store(), new signal.ProtocolAddress(device, 1));
    const bytes = Buffer.from(sealed);
    const plain =
      type === 'pkmsg' ? await cipher.decryptPreKeyWhisperMessage(bytes) : await cipher.decryptWhisperMessage(bytes);
    return library.proto.Message.decode(library.unpadRandomMax16(plain));
  }

  /** Encrypts a message for a device. @param bundle as of the device, where they have not spoken yet */
  async encrypt(device: string, message: PeerMessage, bundle: DeviceBundle): Promise<{ type: string; bytes: Buffer }> {
    const { library, signal } = this.#packages;
    const address = new signal.ProtocolAddress(device, 1);
    if (!this.#sessions.has(`${device}.1`))
      await new signal.SessionBuilder(this.#store(), address).initOutgoing(bundle);
    const sealed = await new signal.SessionCipher(this.#store(), address).encrypt(library.encodeWAMessage(message));
    return { type: sealed.type === 3 ? 'pkmsg' : 'msg', bytes: Buffer.from(sealed.body) };
  }

  /** Begins anew with a number, as the server tells that its device is another one. */
  forget(device: string): void {
    this.#sessions.delete(`${device}.1`);
  }

  #store(): unknown {
    const pairOf = ({ public: key, private: own }: KeyPair) => ({
      privKey: Buffer.from(own),
      pubKey: this.#packages.library.generateSignalPubKey(key),
    });
    const { SessionRecord } = this.#packages.signal;
    return {
      loadSession: async (id: string) => {
        const kept = this.#sessions.get(id);
        return kept && SessionRecord.deserialize(kept);
      },
      storeSession: async (id: string, session: { serialize(): unknown }) => {
        this.#sessions.set(id, session.serialize());
      },
      isTrustedIdentity: () => true,
      loadPreKey: async (id: number) => {
        const pair = this.#preKeys.get(Number(id));
        return pair && pairOf(pair);
      },
      removePreKey: () => undefined,
      loadSignedPreKey: () => pairOf(this.#signed.keyPair),
      getOurRegistrationId: () => 1,
      getOurIdentity: () => pairOf(this.#identity),
    };
  }
}
