/**
 * The library of QR chats (baileys), as far as the driver uses it. A package below it is under the GPL. Operators
 * install both into a folder of their own: neither is a part of this package.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** An element of the chat's protocol. */
export interface ChatNode {
  readonly tag: string;
  readonly attrs: Readonly<Record<string, string>>;
}

/** Keys by kind and id; null: the key is gone. */
export type KeyData = Record<string, Record<string, unknown>>;

/** A store of keys. */
export interface KeyStore {
  get(kind: string, ids: string[]): Promise<Record<string, unknown>>;
  set(data: KeyData): Promise<void>;
}

/** The credentials of a linked device. */
export interface Creds {
  me?: { id: string; lid?: string };
  /** The phone's signature for this device; there once it is linked. */
  account?: unknown;
  accountSyncCounter: number;
}

/** The keeper of the ends of encrypted conversations. */
interface Repository {
  encryptMessage(text: { jid: string; data: Uint8Array }): Promise<{ type: string; ciphertext: Uint8Array }>;
  readonly lidMapping: {
    getLIDForPN(jid: string): Promise<string | null>;
    getPNForLID(jid: string): Promise<string | null>;
  };
}

/** Makes a repository of credentials and keys. */
export type MakeRepository = (auth: { creds: Creds; keys: KeyStore }, logger: unknown, findLids: unknown) => Repository;

/** The key of a message in a chat. */
export interface MessageKey {
  readonly remoteJid?: string | null;
  /** The other address of the same person; a number where `remoteJid` is none. */
  readonly remoteJidAlt?: string | null;
  readonly fromMe?: boolean | null;
  readonly id?: string | null;
}

/** The parts of a message, by the names of their kinds. */
export type Content = Readonly<Record<string, unknown>>;

/** A message of a chat. */
export interface ChatMessage {
  readonly key: MessageKey;
  readonly message?: Content | null;
  readonly pushName?: string | null;
}

/** The events of a socket that the driver hears. */
export interface SocketEvents {
  'creds.update': unknown;
  'connection.update': {
    readonly connection?: 'open' | 'connecting' | 'close';
    readonly qr?: string;
    readonly isNewLogin?: boolean;
    readonly lastDisconnect?: { readonly error?: { readonly output?: { readonly statusCode?: number } } };
  };
  'messages.upsert': { readonly messages: readonly ChatMessage[] };
  'messages.update': readonly { readonly key: MessageKey; readonly update: { readonly status?: number | null } }[];
}

/** The WebSocket below a socket of the library. */
export interface RawSocket {
  send(data: Uint8Array, done?: (error?: Error) => void): void;
  terminate(): void;
}

/** The one socket of a number. */
export interface ChatSocket {
  readonly ev: {
    on<Name extends keyof SocketEvents>(name: Name, hear: (event: SocketEvents[Name]) => void): void;
    flush(): void;
  };
  readonly ws: { readonly socket: RawSocket; on(name: string, hear: (node: ChatNode) => void): void };
  readonly signalRepository: Repository;
  end(error: Error | undefined): Promise<void>;
  logout(): Promise<void>;
  requestPairingCode(number: string): Promise<string>;
  onWhatsApp(jid: string): Promise<readonly { readonly jid: string; readonly exists: boolean }[] | undefined>;
  getUSyncDevices(jids: string[], useCache: boolean, ignoreZeroDevices: boolean): Promise<readonly unknown[]>;
  sendMessage(
    jid: string,
    content: { text: string; linkPreview: null },
    options: { messageId: string },
  ): Promise<{ readonly message?: Content | null } | undefined>;
  fetchAccountReachoutTimelock(): Promise<{ readonly isActive: boolean; readonly timeEnforcementEnds?: Date }>;
  fetchNewChatMessageCap(): Promise<NewChatCap | null>;
}

/** The chats that a number may begin in the server's period. */
interface NewChatCap {
  readonly total_quota?: number;
  readonly used_quota?: number;
  /** In seconds since 1970. */
  readonly cycle_end_timestamp?: string;
  /** `CAPPED`: it may begin no more. */
  readonly capping_status?: string;
}

/** The library. */
export interface Library {
  makeWASocket(config: Readonly<Record<string, unknown>>): ChatSocket;
  makeCacheableSignalKeyStore(store: KeyStore, logger: unknown): KeyStore;
  initAuthCreds(): Creds;
  normalizeMessageContent(content: Content | null | undefined): Content | undefined;
  getContentType(content: Content | undefined): string | undefined;
  readonly BufferJSON: {
    replacer(name: string, value: unknown): unknown;
    reviver(name: string, value: unknown): unknown;
  };
  readonly Browsers: { ubuntu(browser: string): unknown };
  readonly DEFAULT_CONNECTION_CONFIG: { readonly makeSignalRepository: MakeRepository };
  readonly WA_CERT_DETAILS: { PUBLIC_KEY: Buffer };
  readonly proto: { readonly Message: { readonly AppStateSyncKeyData: { fromObject(value: unknown): unknown } } };
}

/** Loads the library from the folder that has it. @throws for a folder without it */
export async function loadLibrary(folder: string): Promise<Library> {
  const file = createRequire(join(folder, 'package.json')).resolve('baileys');
  return import(pathToFileURL(file).href);
}

/** The library's logger, which says nothing: its lines hold keys and texts. */
export const SILENT = {
  level: 'silent',
  child: () => SILENT,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
} as const satisfies Record<string, unknown>;
