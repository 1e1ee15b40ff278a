import { describe, expect, it } from 'vitest';
import { CHANNELS } from '../../src/kernel/channel.ts';
import { readSources } from '../support/rules/sources.ts';

/** A comparison with the name of a channel. Code asks the table of `kernel/channel.ts` for a property instead. */
const NAMES = CHANNELS.flatMap(channel => [channel, channel.toUpperCase()]).join('|');
const COMPARED = new RegExp(
  `channel(?:s\\[\\d\\])?\\s*(?:!==|===|=|<>)\\s*'(?:${NAMES})'|channels?\\.includes\\('(?:${NAMES})'\\)`,
  'g',
);

/** The contract itself names the channel (§9: `+1 202 555 0102`). */
const NAMED: readonly string[] = ["src/channels/sandbox/recipients.ts: channel === 'chat_qr'"];

function comparisonsIn(path: string, text: string): string[] {
  return [...text.matchAll(COMPARED)].map(([written]) => `${path}: ${written}`);
}

it('no source asks for a channel by its name', () => {
  const found = [...readSources()]
    .filter(([path]) => !path.startsWith('src/db/migrations/') && !path.includes('.generated.'))
    .flatMap(([path, text]) => comparisonsIn(path, text));
  expect(found).toEqual(NAMED);
});

describe('the check of channels notices', () => {
  it.each([
    `if (channel === 'sms') return;`,
    `next?.channel !== 'sms'`,
    `sender.channel === 'CHAT_CLOUD' && (`,
    "where a.channel = 'sms' and a.held > 0",
    `if (channels.includes('chat_qr')) return;`,
  ])('%s', text => {
    expect(comparisonsIn('a', text)).toHaveLength(1);
  });
});
