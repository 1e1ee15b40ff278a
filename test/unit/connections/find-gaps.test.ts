import { describe, expect, test } from 'vitest';
import type { Channel, Purpose } from '../../../src/kernel/channel.ts';
import { gapsOf } from '../../../src/modules/connections/find-gaps.ts';

const connection = (
  more: { channel?: Channel; isPaused?: boolean; countries?: string[] | null; purposes?: Purpose[] | null } = {},
) => ({ channel: 'sms' as const, isPaused: false, countries: null, purposes: null, ...more });

const CHATS = [connection({ channel: 'chat_qr' }), connection({ channel: 'chat_cloud' })];
const NO_CHAT =
  'QR chat and Cloud chat have no connection, and the sandbox does not stand in: they fail with no_route.';

describe('the gaps of connections', () => {
  test.each<[string, Parameters<typeof gapsOf>[0], string[]]>([
    ['none where every channel goes everywhere', [...CHATS, connection()], []],
    ['the channels without a connection', [connection()], [NO_CHAT]],
    [
      'the countries that a channel goes to',
      [...CHATS, connection({ countries: ['SE'] }), connection({ countries: ['NO', 'SE'] })],
      ['Texts over SMS go to NO, SE alone: all others fail with no_route.'],
    ],
    [
      'nothing of a country where another connection goes everywhere',
      [...CHATS, connection({ countries: ['SE'] }), connection()],
      [],
    ],
    [
      'the purpose that nobody serves',
      [...CHATS, connection({ purposes: ['message'] })],
      ['Passcodes over SMS have no connection: they fail with no_route.'],
    ],
    [
      'a channel whose connections are paused',
      [...CHATS, connection({ isPaused: true })],
      ['SMS has no connection, and the sandbox does not stand in: it fails with no_route.'],
    ],
  ])('are %s', (_what, connections, gaps) => {
    expect(gapsOf(connections)).toEqual(gaps);
  });
});
