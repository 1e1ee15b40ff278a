/** The exports of the library that a server of ours is built from. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Library, loadLibrary } from '../../../src/channels/chat-qr/driver/library.ts';

/** A pair of keys. */
export interface KeyPair {
  readonly public: Uint8Array;
  readonly private: Uint8Array;
}

/** An element with its content. */
export interface Node {
  readonly tag: string;
  readonly attrs: Readonly<Record<string, string>>;
  readonly content?: readonly Node[] | Uint8Array | string | undefined;
}

interface Codec<Value> {
  encode(value: Value): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Value;
}

interface SignedPreKey {
  readonly keyPair: KeyPair;
  readonly signature: Uint8Array;
  readonly keyId: number;
}

/** A message of a person, as far as tests write one. */
export interface PeerMessage {
  readonly conversation?: string | null;
  readonly extendedTextMessage?: {
    readonly text?: string | null;
    readonly contextInfo?: { readonly stanzaId?: string };
  } | null;
  readonly deviceSentMessage?: { readonly message?: PeerMessage | null } | null;
  readonly [kind: string]: unknown;
}

/** The device that logs in, or wants to be linked. */
export interface ClientPayload {
  readonly username?: { toString(): string } | null;
  readonly device?: number | null;
  readonly devicePairingData?: {
    readonly eIdent: Uint8Array;
    readonly eSkeyVal: Uint8Array;
    readonly eSkeySig: Uint8Array;
    readonly eSkeyId: Uint8Array;
    readonly eRegid: Uint8Array;
  } | null;
}

/** The exports of the library. */
export interface PeerLibrary extends Omit<Library, 'proto'> {
  readonly Curve: {
    generateKeyPair(): KeyPair;
    sharedKey(own: Uint8Array, other: Uint8Array): Buffer;
    sign(key: Uint8Array, message: Uint8Array): Uint8Array;
  };
  readonly NOISE_WA_HEADER: Buffer;
  readonly NOISE_MODE: string;
  signedKeyPair(identity: KeyPair, id: number): SignedPreKey;
  generateSignalPubKey(key: Uint8Array): Buffer;
  hkdf(data: Uint8Array, length: number, by: { salt?: Uint8Array; info?: string }): Uint8Array;
  sha256(data: Uint8Array): Buffer;
  hmacSign(data: Uint8Array, key: Uint8Array): Buffer;
  aesEncryptGCM(data: Uint8Array, key: Uint8Array, iv: Uint8Array, extra: Uint8Array): Buffer;
  aesDecryptGCM(data: Uint8Array, key: Uint8Array, iv: Uint8Array, extra: Uint8Array): Buffer;
  aesEncryptCTR(data: Uint8Array, key: Uint8Array, iv: Uint8Array): Buffer;
  aesDecryptCTR(data: Uint8Array, key: Uint8Array, iv: Uint8Array): Buffer;
  derivePairingCodeKey(code: string, salt: Uint8Array): Promise<Buffer>;
  encodeBinaryNode(node: Node): Buffer;
  decodeBinaryNode(data: Uint8Array): Promise<Node>;
  encodeBigEndian(value: number, length?: number): Uint8Array;
  encodeWAMessage(message: PeerMessage): Buffer;
  unpadRandomMax16(data: Uint8Array): Uint8Array;
  xmppSignedPreKey(key: SignedPreKey): Node;
  xmppPreKey(pair: KeyPair, id: number): Node;
  readonly proto: {
    readonly HandshakeMessage: Codec<{
      clientHello?: { ephemeral: Uint8Array } | null;
      serverHello?: { ephemeral: Uint8Array; static: Uint8Array; payload: Uint8Array } | null;
      clientFinish?: { static: Uint8Array; payload: Uint8Array } | null;
    }>;
    readonly CertChain: Codec<{ leaf: object; intermediate: object }> & {
      readonly NoiseCertificate: {
        readonly Details: Codec<{ serial: number; issuerSerial: number; key: Uint8Array }>;
      };
    };
    readonly ClientPayload: Codec<ClientPayload>;
    readonly ADVDeviceIdentity: Codec<{ rawId: number; timestamp: number; keyIndex: number }>;
    readonly ADVSignedDeviceIdentity: Codec<{
      details: Uint8Array;
      accountSignatureKey: Uint8Array;
      accountSignature: Uint8Array;
    }>;
    readonly ADVSignedDeviceIdentityHMAC: Codec<{ details: Uint8Array; hmac: Uint8Array }>;
    readonly Message: Codec<PeerMessage> & Library['proto']['Message'];
  };
}

/** A socket of the package ws. */
export interface PeerSocket {
  on(event: 'message', hear: (data: Buffer) => void): void;
  on(event: 'close', hear: () => void): void;
  on(event: 'error', hear: () => void): void;
  send(data: Uint8Array): void;
  close(): void;
  terminate(): void;
}

/** The server of the package ws. */
export interface PeerServer {
  on(event: 'connection', hear: (socket: PeerSocket) => void): void;
  once(event: 'listening', hear: () => void): void;
  address(): { port: number };
  close(): void;
  readonly clients: Iterable<PeerSocket>;
}

/** The parts of libsignal. */
export interface Signal {
  readonly ProtocolAddress: new (name: string, device: number) => unknown;
  readonly SessionRecord: { deserialize(data: unknown): { serialize(): unknown } };
  readonly SessionBuilder: new (store: unknown, address: unknown) => { initOutgoing(bundle: unknown): Promise<void> };
  readonly SessionCipher: new (
    store: unknown,
    address: unknown,
  ) => {
    encrypt(data: Buffer): Promise<{ type: number; body: Buffer }>;
    decryptPreKeyWhisperMessage(data: Buffer): Promise<Buffer>;
    decryptWhisperMessage(data: Buffer): Promise<Buffer>;
  };
}

/** The packages that a peer is built from. */
export interface Packages {
  readonly folder: string;
  readonly library: PeerLibrary;
  readonly signal: Signal;
  readonly Server: new (options: { host: string; port: number }) => PeerServer;
}

/** The folder in which the library is installed. */
export const BAILEYS_DIR = process.env.BAILEYS_DIR ?? '';

/** Why the tests with the library of QR chats cannot run here, printed once; null: they can. */
export function missingLibrary(): string | null {
  if (BAILEYS_DIR && existsSync(join(BAILEYS_DIR, 'node_modules/baileys'))) return null;
  const reason = 'BAILEYS_DIR names no folder with baileys';
  console.info(`Tests are skipped: ${reason}.`);
  return reason;
}

/** Loads the packages. */
export async function loadPackages(): Promise<Packages> {
  const require = createRequire(join(BAILEYS_DIR, 'node_modules/baileys/package.json'));
  const load = async (name: string): Promise<Record<string, unknown>> =>
    import(pathToFileURL(require.resolve(name)).href);
  const [library, signal, ws] = await Promise.all([loadLibrary(BAILEYS_DIR), load('libsignal'), load('ws')]);
  return {
    folder: BAILEYS_DIR,
    library: library as unknown as PeerLibrary,
    signal: (signal.default ?? signal) as unknown as Signal,
    Server: (ws.WebSocketServer ?? (ws.default as Record<string, unknown>).Server) as Packages['Server'],
  };
}
