/**
 * crabline (npm, MIT), a server of the chat by somebody else: it decrypts what a device sends, and hands in what people write.
 * Linking, looking up whether a number is on the chat, receipts, limits and closing a socket by a code are missing.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from '../smpp/programs.ts';
import { BAILEYS_DIR, loadPackages } from './peer-library.ts';

const BIN = join(BAILEYS_DIR, 'node_modules/@openclaw/crabline/dist/src/bin/crabline.js');

/** Why the tests with crabline cannot run here, printed once; null: they can. */
export function missingCrabline(): string | null {
  if (BAILEYS_DIR && existsSync(BIN)) return null;
  const reason = 'BAILEYS_DIR names no folder with @openclaw/crabline';
  console.info(`Tests are skipped: ${reason}.`);
  return reason;
}

interface Ready {
  readonly adminToken: string;
  readonly selfJid: string;
  readonly endpoints: { readonly adminInboundUrl: string; readonly baileysWebSocketUrl: string };
}

/** A crabline that runs. */
export interface Crabline extends AsyncDisposable {
  /** The environment by which a driver finds it. */
  readonly env: { readonly CHAT_QR_SERVER: string };
  /** Credentials of a device that it takes for linked, as text. */
  readonly creds: string;
  /** The texts that it has decrypted: id, number and text. */
  decrypted(): Promise<readonly (readonly [string, string, string])[]>;
  /** Hands in a text of a person. */
  write(from: string, text: string): Promise<void>;
}

/** Starts crabline. */
export async function startCrabline(): Promise<Crabline> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'crabline-'));
  starting.defer(() => rm(folder, { recursive: true }));
  const recorder = join(folder, 'events.jsonl');
  const args = [BIN, '--json', 'serve', 'whatsapp', '--recorder', recorder];
  const program = starting.use(startProgram(process.execPath, args));
  const { adminToken, selfJid, endpoints } = await readReady(program);
  const creds = await linkedCreds(selfJid);
  const started = starting.move();
  return {
    env: { CHAT_QR_SERVER: endpoints.baileysWebSocketUrl },
    creds,
    async decrypted() {
      const lines = (await readFile(recorder, 'utf8')).trim().split('\n');
      return lines.flatMap(line => {
        const { body } = JSON.parse(line);
        return body?.message?.conversation
          ? [[body.key.id, body.key.remoteJid.split('@')[0], body.message.conversation]]
          : [];
      });
    },
    async write(from, text) {
      const jid = `${from}@s.whatsapp.net`;
      const response = await fetch(endpoints.adminInboundUrl, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ chatJid: jid, senderJid: jid, text }),
      });
      if (!response.ok) throw new Error(`crabline answered ${response.status}: ${await response.text()}`);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Reads what it prints once it listens. */
async function readReady(program: Program): Promise<Ready> {
  await program.line(/^}$/);
  return JSON.parse(program.lines.slice(program.lines.indexOf('{')).join('\n'));
}

async function linkedCreds(selfJid: string): Promise<string> {
  const { library } = await loadPackages();
  const creds = {
    ...library.initAuthCreds(),
    me: { id: selfJid.replace('@', ':1@') },
    account: {
      details: Buffer.alloc(0),
      accountSignatureKey: randomBytes(32),
      accountSignature: randomBytes(64),
      deviceSignature: randomBytes(64),
    },
  };
  return JSON.stringify(creds, library.BufferJSON.replacer);
}
