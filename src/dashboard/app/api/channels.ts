/** The channels as pages list and call them. */
import { CHANNEL_FACTS, CHANNELS, DEFAULT_CHANNEL } from './channels.generated.ts';
import type { Channel } from './operations.generated.ts';

/** `CHAT_QR` as `QR chat`. */
export function channelWord(channel: string): string {
  return Object.hasOwn(CHANNEL_FACTS, channel) ? CHANNEL_FACTS[channel as Channel].label : channel;
}

/** Every channel as pages list them: the default one first. */
export const LISTED_CHANNELS: readonly Channel[] = [
  DEFAULT_CHANNEL,
  ...CHANNELS.filter(channel => channel !== DEFAULT_CHANNEL),
];
