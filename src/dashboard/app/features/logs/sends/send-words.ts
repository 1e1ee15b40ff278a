/** A send in short: what the row of a message or a passcode says. */
import { channelWord } from '../../../api/channels.ts';
import type { SendRowFragment } from '../../../api/operations.generated.ts';
import { counted, plainWord } from '../../../ui/words.ts';

type Entry = SendRowFragment['entries'][number];

/** The facts of a send as a whole, for its row. */
export interface SendFacts {
  readonly kind: 'message' | 'passcode' | 'incoming';
  /** When it began. */
  readonly createdAt: string;
  readonly recipient: string;
  readonly sender: string | null;
  readonly reference: string | null;
  /** Its attempts and tries in short. */
  readonly course: string;
  /** Why it went no better; null where it arrived, or may have. */
  readonly errorCode: string | null;
  /** The same in a sentence, as far as one was told. */
  readonly errorMessage: string | null;
  readonly credits: number;
}

/** Statuses of a send whose row shows the last error. */
const BAD: ReadonlySet<string> = new Set(['FAILED', 'EXPIRED', 'BLOCKED', 'UNKNOWN']);

/** The facts of a send. */
export function factsOf({ messageId, status, entries }: SendRowFragment): SendFacts {
  const [first] = entries;
  const byTime = entries.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  const last = BAD.has(status) ? byTime.findLast(({ errorCode }) => errorCode !== null) : undefined;
  return {
    kind: kindOf(messageId, first),
    createdAt: byTime[0]?.createdAt ?? '',
    recipient: first?.recipient ?? '',
    sender: entries.find(({ sender }) => sender !== null)?.sender ?? null,
    reference: first?.reference ?? null,
    course: courseOf(entries),
    errorCode: last?.errorCode ?? null,
    errorMessage: last?.errorMessage ?? null,
    credits: entries.reduce((sum, { credits }) => sum + credits, 0),
  };
}

/** The outcome of a send in a word. Of a passcode the word says whether it is of the text alone. */
export function outcomeWord({ pinId, status, entries }: SendRowFragment): string {
  const isOfTries = entries.some(({ type }) => type === OWN_TYPES[status]);
  if (pinId === null || isOfTries) return plainWord(status);
  return textWord(status);
}

/** Entries that say what became of a passcode itself, by the status of the send. */
const OWN_TYPES: Readonly<Partial<Record<string, Entry['type']>>> = {
  VERIFIED: 'OTP_VERIFIED',
  BLOCKED: 'OTP_BLOCKED',
  EXPIRED: 'OTP_EXPIRED',
};

/** `text delivered`: of the text of a passcode, which is not the passcode. */
export function textWord(status: string): string {
  return `text ${plainWord(status)}`;
}

/** The statuses of a text, the best first. */
const BEST = ['READ', 'DELIVERED', 'SENT', 'UNKNOWN', 'PENDING', 'EXPIRED', 'FAILED'] as const;

/** The best outcome of the texts of a passcode. */
export function textStatusOf(attempts: readonly { readonly status: string }[]): string | undefined {
  return BEST.find(best => attempts.some(({ status }) => status === best));
}

function kindOf(messageId: string | null, first: Entry | undefined): SendFacts['kind'] {
  if (first?.type === 'INBOUND') return 'incoming';
  return messageId === null ? 'passcode' : 'message';
}

/** `QR chat failed → SMS delivered`, `SMS sent 2× → 1 wrong code → verified`. */
export function courseOf(entries: readonly Entry[]): string {
  const steps: { word: string; count: number }[] = [];
  for (const entry of entries) {
    const word = wordOf(entry);
    const last = steps.at(-1);
    if (last?.word === word) last.count += 1;
    else steps.push({ word, count: 1 });
  }
  return steps
    .map(({ word, count }) => (count === 1 ? word : (MANY[word]?.(count) ?? `${word} ${count}×`)))
    .join(' → ');
}

const WRONG = '1 wrong code';

const MANY: Readonly<Record<string, (count: number) => string>> = {
  [WRONG]: count => counted(count, 'wrong code'),
};

function wordOf({ type, channel, status }: Entry): string {
  switch (type) {
    case 'MESSAGE_ATTEMPT':
    case 'OTP_ATTEMPT':
      return `${channelWord(channel ?? '')} ${plainWord(status)}`;
    case 'OTP_INCORRECT':
      return WRONG;
    case 'OTP_EXPIRED':
      return 'tried too late';
    case 'OTP_VERIFIED':
      return 'verified';
    case 'OTP_BLOCKED':
      return 'blocked';
    case 'OTP_FLAGGED':
      return 'flagged by the fraud guard';
    case 'INBOUND':
      return 'received';
  }
}
