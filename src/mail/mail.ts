/** Mail to people, handed to the SMTP server of the settings. One connection for each mail: there are few. */
import { randomUUID } from 'node:crypto';
import type { NodemailerError } from 'nodemailer';
import type { Mailbox, SmtpServer } from '../kernel/settings/smtp-url.ts';

/** How long the server may take for each of: its name, the connection, its greeting. */
const OPEN_MS = 10_000;

/** How long the server may say nothing. */
const SILENCE_MS = 20_000;

/** A mail of plain text. */
export interface Letter {
  /** The address of one person. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The process's way to people's mailboxes. */
export interface Mail {
  /** Whether the settings name a server; without one every mail fails. */
  readonly isSet: boolean;
  /** Answers when the server has taken the mail. @throws MailError */
  send(letter: Letter): Promise<void>;
}

/** A mail that the server did not take. `message` is for people: it quotes neither the settings nor the server. */
export class MailError extends Error {
  /** Whether the same mail would fail again. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'MailError';
    this.isFinal = isFinal;
  }
}

interface MailSettings {
  readonly server: SmtpServer;
  readonly from: Mailbox;
}

/** Opens the way. Nothing is connected before the first mail. @param settings null: there is no server */
export function createMail(settings: MailSettings | null): Mail {
  return {
    isSet: settings !== null,
    async send(letter) {
      if (settings === null) throw new MailError('This gateway sends no mail: SMTP_URL is not set.', true);
      await sendLetter(settings, letter);
    },
  };
}

async function sendLetter({ server, from }: MailSettings, { to, subject, text }: Letter): Promise<void> {
  // Most processes never send one, and it takes a while to load.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    ...server,
    auth: server.auth ?? undefined,
    dnsTimeout: OPEN_MS,
    connectionTimeout: OPEN_MS,
    greetingTimeout: OPEN_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from: { ...from },
      // As a structure: of a text, a comma would make two addresses.
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${randomUUID()}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
      // So that nobody's holiday answers.
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  } catch (error) {
    throw mailErrorOf(error as NodemailerError);
  } finally {
    transport.close();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refused the user name or the password of SMTP_URL',
  ENOAUTH: 'The mail server wants a user name and a password, and SMTP_URL holds none',
  EENVELOPE: 'The mail server refused the address',
  EMESSAGE: 'The mail server refused the mail',
  ETLS: 'No secure connection to the mail server could be made',
};

function mailErrorOf(error: NodemailerError): MailError {
  const { code = '', responseCode, permanent = false } = error;
  const reason = REASONS[code] ?? 'The mail server could not be reached';
  return new MailError(`${reason}${responseCode ? ` (${responseCode})` : ''}.`, permanent, error);
}
