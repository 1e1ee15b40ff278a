import { describe, expect, test } from 'vitest';
import { CHANNEL_FACTS, CHANNELS, PAID_CHANNELS } from '../../../src/kernel/channel.ts';
import { parsePhone } from '../../../src/kernel/phone.ts';

describe('the table of channels', () => {
  test('has each field of a request at one channel: it chooses the channel, and its column keeps one sender', () => {
    const fields = CHANNELS.flatMap(channel => {
      const { senderField, templateField } = CHANNEL_FACTS[channel];
      return [senderField, templateField].filter(field => field !== null);
    });
    expect(new Set(fields).size).toBe(fields.length);
  });

  test('has one channel that costs credits: a send holds one sum, and gives it back whole', () => {
    expect(PAID_CHANNELS).toHaveLength(1);
  });

  test.each(CHANNELS.filter(channel => CHANNEL_FACTS[channel].senderIs === 'number'))(
    'has an example of a sender of %s as it would be stored',
    channel => {
      const { exampleSender } = CHANNEL_FACTS[channel];
      expect(parsePhone(exampleSender)?.digits).toBe(exampleSender);
    },
  );
});
