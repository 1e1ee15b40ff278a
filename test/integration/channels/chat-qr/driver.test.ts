import { describe, expect, test } from 'vitest';
import { startPairingPeer } from '../../../support/chat-qr/pairing-peer.ts';
import { startParent } from '../../../support/chat-qr/parent.ts';
import { missingLibrary } from '../../../support/chat-qr/peer-library.ts';

const NUMBER = '4915550001111';
const TO = '4915550002222';

describe.skipIf(missingLibrary() !== null)('the driver of QR chats', () => {
  test('links a number by its picture, opens it by what is stored, and sends', async () => {
    await using peer = await startPairingPeer();
    await using parent = await startParent({ env: peer.env });
    await parent.linkByPicture(peer, 'one', NUMBER);
    expect(parent.of('paired')).toEqual([{ type: 'paired', connectionId: 'one', number: NUMBER }]);
    expect(parent.of('closed')).toEqual([{ type: 'closed', connectionId: 'one', code: 515 }]);
    expect(await parent.send('one', TO, 'Your code is 123456', { messageId: '3EB0AA' })).toEqual({ kind: 'acked' });
    expect(peer.messages).toEqual([{ id: '3EB0AA', from: NUMBER, to: TO, text: 'Your code is 123456', order: 0 }]);
  });
});
