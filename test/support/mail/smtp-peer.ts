/** A mail server on this machine that keeps what it is given, and refuses what it is told to. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as it came. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The headers and the text, as they came. */
  readonly source: string;
}

/** A mail server that runs. */
export interface SmtpPeer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Resolves with the first mail that this holds for, which may have come already. */
  mail(isWanted: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** Options of a mail server. */
export interface SmtpPeerOptions {
  /** The only login that is taken; absent: nobody signs in. */
  readonly login?: { readonly user: string; readonly pass: string };
  /** The answer to RCPT TO: a code of SMTP, or null to take the mail. */
  readonly answer?: (address: string) => number | null;
  /** Whether it begins with TLS, by a certificate that nobody knows. */
  readonly secure?: boolean;
}

/** Starts a mail server on a free port of this machine. */
export async function startSmtpPeer({ login, answer = () => null, secure = false }: SmtpPeerOptions = {}) {
  const mails: ReceivedMail[] = [];
  const waiting = new Set<() => void>();
  const server = new SMTPServer({
    secure,
    logger: false,
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disabledCommands: login === undefined ? ['AUTH'] : [],
    disableReverseLookup: true,
    onAuth({ username, password }, _session, done) {
      const isRight = username === login?.user && password === login?.pass;
      done(null, isRight ? { user: username } : { responseCode: 535, message: 'no' });
    },
    onRcptTo({ address }, _session, done) {
      const code = answer(address);
      done(code === null ? null : Object.assign(new Error('no'), { responseCode: code }));
    },
    onData(stream, { envelope }, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        mails.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(pieces).toString(),
        });
        for (const look of waiting) look();
        done(null);
      });
    },
  });
  // A client that does not trust the certificate breaks off.
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const peer: SmtpPeer = {
    port: (listening.address() as AddressInfo).port,
    mails,
    mail: isWanted =>
      new Promise(resolve => {
        const look = (): void => {
          const found = mails.find(isWanted);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    close: () => new Promise(resolve => server.close(() => resolve())),
  };
  return peer;
}
