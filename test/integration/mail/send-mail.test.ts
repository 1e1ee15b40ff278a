import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { createMail, MailError } from '../../../src/mail/mail.ts';
import { type SmtpPeerOptions, startSmtpPeer } from '../../support/mail/smtp-peer.ts';

const FROM = 'Heliograph <gateway@acme.example>';
const LETTER = { to: 'ada@acme.example', subject: 'Der Fähre fehlt Wasser', text: 'Zeile eins\n.\nZeile drei\n' };

/** The mail of a gateway with these settings. */
function mailOf(url: string) {
  return createMail(readConfig({ SMTP_URL: url, MAIL_FROM: FROM }).mail);
}

async function startPeer(options: SmtpPeerOptions = {}) {
  const peer = await startSmtpPeer(options);
  onTestFinished(() => peer.close());
  return peer;
}

async function failureOf(sent: Promise<void>): Promise<MailError> {
  const error = await sent.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (error instanceof MailError) return error;
  throw new Error('the mail did not fail as a mail does', { cause: error });
}

describe('mail', () => {
  it('is handed to the server of the settings, whole', async () => {
    const peer = await startPeer();
    const mail = mailOf(`smtp://localhost:${peer.port}`);
    expect(mail.isSet).toBe(true);
    await mail.send(LETTER);
    expect(peer.mails).toHaveLength(1);
    const [{ from, to, source } = { from: '', to: [], source: '' }] = peer.mails;
    expect([from, to]).toEqual(['gateway@acme.example', ['ada@acme.example']]);
    expect(source).toContain('From: Heliograph <gateway@acme.example>\r\n');
    expect(source).toContain('To: ada@acme.example\r\n');
    expect(source).toMatch(/^Message-ID: <[0-9a-f-]{36}@acme\.example>\r$/m);
    expect(source).toContain('Auto-Submitted: auto-generated\r\n');
    expect(source).toContain('Subject: =?UTF-8?Q?Der_F=C3=A4hre_fehlt_Wasser?=\r\n');
    expect(source).toMatch(/\r\n\r\nZeile eins\r\n\.\r\nZeile drei\r\n$/);
  });

  it('signs in where the settings say so', async () => {
    const peer = await startPeer({ login: { user: 'u@x', pass: 'p:w' } });
    await mailOf(`smtp://u%40x:p%3Aw@127.0.0.1:${peer.port}`).send(LETTER);
    expect(peer.mails).toHaveLength(1);
  });

  it('goes to one address, whatever it and the subject hold', async () => {
    const peer = await startPeer();
    const mail = mailOf(`smtp://127.0.0.1:${peer.port}`);
    await mail
      .send({ ...LETTER, to: 'ada@acme.example, eve@evil.example', subject: 'A\r\nBcc: eve@evil.example' })
      .catch(() => undefined);
    expect(peer.mails.flatMap(({ to }) => to)).not.toContain('eve@evil.example');
    expect(peer.mails.filter(({ source }) => /^Bcc:/m.test(source))).toEqual([]);
  });

  it.each([
    ['for good', 550, true, 'The mail server refused the address (550).'],
    ['for now', 451, false, 'The mail server refused the address (451).'],
  ])('says that an address is refused %s', async (_how, code, isFinal, message) => {
    const peer = await startPeer({ answer: () => code });
    const failure = await failureOf(mailOf(`smtp://127.0.0.1:${peer.port}`).send(LETTER));
    expect(failure).toMatchObject({ message, isFinal });
  });

  it('says that the password is refused, and quotes none', async () => {
    const peer = await startPeer({ login: { user: 'u', pass: 'right' } });
    const failure = await failureOf(mailOf(`smtp://u:s3cret@127.0.0.1:${peer.port}`).send(LETTER));
    expect(failure.message).toBe('The mail server refused the user name or the password of SMTP_URL (535).');
  });

  it('says that nothing listens, which may pass', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => taken.once('listening', resolve));
    const address = taken.address();
    await new Promise(resolve => taken.close(resolve));
    const port = typeof address === 'object' && address ? address.port : 0;
    const failure = await failureOf(mailOf(`smtp://127.0.0.1:${port}`).send(LETTER));
    expect(failure).toMatchObject({ message: 'The mail server could not be reached.', isFinal: false });
  });

  it('trusts no certificate that nobody has signed', async () => {
    const peer = await startPeer({ secure: true });
    const failure = await failureOf(mailOf(`smtps://127.0.0.1:${peer.port}`).send(LETTER));
    expect(failure.isFinal).toBe(false);
    expect(peer.mails).toEqual([]);
  });

  it('fails where no server is set', async () => {
    const mail = createMail(readConfig({}).mail);
    expect(mail.isSet).toBe(false);
    const failure = await failureOf(mail.send(LETTER));
    expect(failure).toMatchObject({ message: 'This gateway sends no mail: SMTP_URL is not set.', isFinal: true });
  });
});
