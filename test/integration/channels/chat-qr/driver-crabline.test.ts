import { describe, expect, test } from 'vitest';
import { missingCrabline, startCrabline } from '../../../support/chat-qr/crabline.ts';
import { startParent } from '../../../support/chat-qr/parent.ts';

const ID = 'connection';
const TO = '4915550002222';

describe.skipIf(missingCrabline() !== null)('crabline, a chat server by somebody else', () => {
  test('decrypts the texts of the driver', async () => {
    await using server = await startCrabline();
    await using parent = await startParent({ env: server.env });
    parent.creds.set(ID, server.creds);
    await parent.open(ID);
    const texts = ['Your code is 123456', 'Grüße 👋'];
    for (const [index, text] of texts.entries())
      expect(await parent.send(ID, TO, text, { isKnown: true, messageId: `3EB0${index}` })).toEqual({ kind: 'acked' });
    expect(await server.decrypted()).toEqual(texts.map((text, index) => [`3EB0${index}`, TO, text]));
  });

  test('hands in a text of a person', async () => {
    await using server = await startCrabline();
    await using parent = await startParent({ env: server.env });
    parent.creds.set(ID, server.creds);
    await parent.open(ID);
    await server.write(TO, 'STOP');
    expect(await parent.heard('inbound')).toMatchObject({ messages: [{ number: TO, kind: 'text', text: 'STOP' }] });
  });
});
