/** Readers of the settings of mail. A password is never quoted. */
import { isThisMachine } from '../network/address.ts';
import type { Fault } from './config-error.ts';

/** The server that mails are handed to. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** Whether the connection begins with TLS (`smtps:`). */
  readonly secure: boolean;
  /** Whether nothing is said before STARTTLS. */
  readonly requireTLS: boolean;
  /** Whether STARTTLS is not used, though offered. */
  readonly ignoreTLS: boolean;
  /** Null: it asks for none. */
  readonly auth: { readonly user: string; readonly pass: string } | null;
}

/** Whom mails come from. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

const MEND =
  'it must look like smtp://user:password@mail.example.com:587, or smtps: for TLS from the start (percent-encode special characters of the password).';

/** An address as mail servers take it, with or without a name before it. */
const MAILBOX = /^(?:([^<>"@,;:\\\p{Cc}]{0,100}?)\s*<([^<>\s]+)>|([^<>\s]+))$/u;
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/i;

/**
 * The server of an `SMTP_URL`. A password leaves this machine by TLS only. To this machine itself STARTTLS is not used: local
 * servers offer it with certificates that prove nothing.
 */
export function readSmtpUrl(text: string, fault: Fault): SmtpServer {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '')
    fault(`SMTP_URL is no address of a mail server; ${MEND}`);
  if (!/^\/?$/.test(url.pathname) || `${url.search}${url.hash}` !== '')
    fault(`SMTP_URL holds more than a server and who signs in there; ${MEND}`);
  if ((url.username === '') !== (url.password === ''))
    fault(`SMTP_URL holds a user name without a password, or a password without one; ${MEND}`);
  const [user, pass] = [url.username, url.password].map(part => decode(part, fault));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'smtps:';
  const isLocal = isThisMachine(host);
  const auth = user && pass ? { user, pass } : null;
  return {
    host,
    port: url.port === '' ? PORTS[url.protocol] : Number(url.port),
    secure,
    requireTLS: !secure && !isLocal && auth !== null,
    ignoreTLS: !secure && isLocal,
    auth,
  };
}

function decode(part: string, fault: Fault): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return fault(`SMTP_URL holds a % that begins no character; ${MEND}`);
  }
}

/** The sender of a `MAIL_FROM`. */
export function readMailbox(text: string, fault: Fault): Mailbox {
  const [, name = '', inBrackets, alone] = MAILBOX.exec(text) ?? [];
  const address = inBrackets ?? alone ?? '';
  if (!ADDRESS.test(address) || address.includes('..'))
    fault(
      `MAIL_FROM is ${JSON.stringify(text.slice(0, 80))}; set it to an address, such as Heliograph <alerts@example.com>.`,
    );
  return { name, address };
}
