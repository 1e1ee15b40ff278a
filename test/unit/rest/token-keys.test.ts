import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { tokenKeyOf } from '../../../src/rest/server/request-context.ts';

function keyOf(authorization: string): string {
  const request = new IncomingMessage(new Socket());
  request.headers.authorization = authorization;
  return tokenKeyOf(request);
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

test('a token has one key under any name of Basic credentials, and with Bearer', () => {
  const keys = ['AC1:hg_sms_a', 'AC2:hg_sms_a', 'hg_sms_a'].map(basic).map(keyOf);
  expect(new Set([...keys, keyOf('Bearer hg_sms_a')]).size).toBe(1);
  expect(keyOf(basic('AC1:hg_sms_b'))).not.toBe(keys[0]);
});
