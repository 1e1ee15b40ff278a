import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { KnownCallers } from '../../../src/rest/request-log/known-callers.ts';
import { tokenKeyOf } from '../../../src/rest/server/request-context.ts';

function keyOf(authorization: string): string {
  return keyIn({ authorization }, null);
}

function keyIn(headers: { authorization?: string; cookie?: string }, publicUrl: string | null): string {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  return tokenKeyOf(request, publicUrl);
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

test('a token has one key under any name of Basic credentials, and with Bearer', () => {
  const keys = ['AC1:hg_sms_a', 'AC2:hg_sms_a', 'hg_sms_a'].map(basic).map(keyOf);
  expect(new Set([...keys, keyOf('Bearer hg_sms_a')]).size).toBe(1);
  expect(keyOf(basic('AC1:hg_sms_b'))).not.toBe(keys[0]);
});

describe('the key of a session', () => {
  const [TOKEN, OTHER] = ['s'.repeat(43), 'o'.repeat(43)];
  const cookieKey = (cookie: string, publicUrl: string | null = null): string => keyIn({ cookie }, publicUrl);

  test('is one, whatever stands beside its cookie', () => {
    const session = `heliograph_session=${TOKEN}`;
    const beside = ['', '; theme=dark', `; heliograph_device=${OTHER}`, `; __Host-heliograph_session=${OTHER}`];
    const keys = beside.flatMap(more => [cookieKey(`${session}${more}`), cookieKey(`a=1; ${session}${more}`)]);
    expect(new Set(keys).size).toBe(1);
    expect(cookieKey(`heliograph_session=${OTHER}`)).not.toBe(keys[0]);
  });

  test('is that of the cookie with a prefix where pages are served by HTTPS', () => {
    const session = `__Host-heliograph_session=${TOKEN}`;
    const beside = ['', '; heliograph_session=1', '; heliograph_session=2'];
    const keys = beside.map(more => cookieKey(`${session}${more}`, 'https://gateway.example'));
    expect([new Set(keys).size, keys.includes('')]).toEqual([1, false]);
  });

  test.each(['', 'theme=dark', 'heliograph_session=short'])('is none in the cookies "%s"', cookie => {
    expect(cookieKey(cookie)).toBe('');
  });
});

describe('known callers', () => {
  test('who ask again and again are known, however many others come', () => {
    const callers = new KnownCallers();
    callers.learn('idle', 'acc_idle');
    callers.learn('busy', 'acc_busy', 'tok_busy');
    for (let index = 0; index < 25_000; index++) {
      if (index % 1_000 === 0) {
        expect(callers.of('busy')).toBeDefined();
        callers.learn('busy', 'acc_busy', 'tok_busy');
      }
      callers.learn(`one ${index}`, 'acc_many');
    }
    expect(callers.of('busy')).toEqual({ accountId: 'acc_busy', tokenId: 'tok_busy' });
    expect(callers.of('idle')).toBeUndefined();
  });
});
