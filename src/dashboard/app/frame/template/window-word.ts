/** Whether free text goes in a cloud chat. */
import { CHANNEL_FACTS } from '../../api/channels.generated.ts';
import type { Channel } from '../../api/operations.generated.ts';
import { momentWord } from '../../ui/times.tsx';

/** Until when it goes, or that it does not; nothing of channels without such hours. @param closesAt null: the chat is closed */
export function windowWord(channel: Channel, closesAt: string | null): string {
  const hours = CHANNEL_FACTS[channel].freeTextHours;
  if (hours === null) return '';
  return closesAt === null
    ? `They have not written for ${hours} hours: a template is needed.`
    : `Free text until ${momentWord(closesAt)}.`;
}
