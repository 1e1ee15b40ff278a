import { describe, expect, it } from 'vitest';
import { readMailbox, readSmtpUrl } from '../../../../src/kernel/settings/smtp-url.ts';

function fault(message: string): never {
  throw new Error(message);
}

describe('readSmtpUrl', () => {
  it.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTLS: false, auth: null }],
    ['smtps://mail.example.com', { port: 465, secure: true, requireTLS: false }],
    ['smtp://u%40x:p%3Aw@mail.example.com:25/', { port: 25, auth: { user: 'u@x', pass: 'p:w' } }],
    ['smtp://[::1]:1025', { host: '::1', port: 1025 }],
  ])('reads %s', (text, wanted) => {
    expect(readSmtpUrl(text, fault)).toMatchObject(wanted);
  });

  it.each([
    // A password is said behind TLS alone, except to this machine.
    ['smtp://user:word@mail.example.com', { requireTLS: true, ignoreTLS: false }],
    ['smtp://mail.example.com', { requireTLS: false, ignoreTLS: false }],
    ['smtp://user:word@localhost:1025', { requireTLS: false, ignoreTLS: true }],
    ['smtp://user:word@127.0.0.2:1025', { requireTLS: false, ignoreTLS: true }],
    ['smtps://user:word@localhost', { secure: true, ignoreTLS: false }],
  ])('says when %s uses STARTTLS', (text, wanted) => {
    expect(readSmtpUrl(text, fault)).toMatchObject(wanted);
  });

  it.each([
    'mail.example.com',
    'smtp:mail.example.com',
    'https://mail.example.com',
    'smtp://user@mail.example.com',
    'smtp://:s3cret@mail.example.com',
    'smtp://user:s3cret%@mail.example.com',
    'smtp://user:s3cret@mail.example.com/inbox',
    'smtp://user:s3cret@mail.example.com?pool=true',
  ])('refuses %s, and quotes no password', text => {
    const read = (): unknown => readSmtpUrl(text, fault);
    expect(read).toThrow(/^SMTP_URL .*it must look like smtp:/);
    expect(read).not.toThrow(/s3cret/);
  });
});

describe('readMailbox', () => {
  it.each([
    ['alerts@example.com', { name: '', address: 'alerts@example.com' }],
    ['<alerts@example.com>', { name: '', address: 'alerts@example.com' }],
    ['Heliograph of Acme <alerts@example.com>', { name: 'Heliograph of Acme', address: 'alerts@example.com' }],
    ['gateway@localhost', { name: '', address: 'gateway@localhost' }],
  ])('reads %s', (text, wanted) => {
    expect(readMailbox(text, fault)).toEqual(wanted);
  });

  it.each(['Heliograph', 'a@b@c', 'a@example..com', 'a@x.com, b@x.com', 'A <a@x.com', 'A\nBcc: b <a@x.com>', '@x.com'])(
    'refuses %j',
    text => {
      expect(() => readMailbox(text, fault)).toThrow(/^MAIL_FROM is .*set it to an address/);
    },
  );
});
