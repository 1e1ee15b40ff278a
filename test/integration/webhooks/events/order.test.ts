import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { codeOf } from '../../../../src/modules/otp/send/code.ts';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { acceptedOutcome } from '../../../support/app.ts';
import { setUpOtherProcess } from '../../../support/fixtures.ts';
import { REFUSED, UNKNOWN } from '../../../support/messaging/scripted-sends.ts';
import { guess, holderWith } from '../../../support/otp/guess.ts';
import { newRecipient, wrongCode } from '../../../support/otp/pins.ts';
import { blocksOf, readPage } from '../../../support/rules/docs.ts';
import { assertProperty } from '../../../support/runner/properties.ts';
import { rounds } from '../../../support/runner/rounds.ts';
import { createTestCtx, TEST_KEYS } from '../../../support/services.ts';
import { setUpTelling } from '../../../support/webhooks/event-fixture.ts';
import { makeEndpoint } from '../../../support/webhooks/stored-webhooks.ts';

/** How many histories are made up. */
const RUNS = rounds({ usual: 25, long: 250 });
const TIMEOUT_MS = 60_000 + RUNS * 400;

const { account, answerWith, report, sendBoth, t } = setUpTelling();
const other = setUpOtherProcess(t);

beforeEach(() => makeEndpoint(t, account.accountId, {}));

/** The parts of an event that a receiver goes by. */
interface Told {
  readonly event: string;
  readonly createdAt: string;
  readonly data: {
    readonly status: string;
    readonly attemptId?: string;
    readonly pinId?: string;
    readonly messageId?: string;
  };
}

/** A receiver: takes events as they come; `ends` answers what it believes in the end of each subject. */
interface Receiver {
  note(event: Told): boolean;
  readonly latest: Map<string, Told>;
}

/** The receiver of docs/webhooks.md. */
function documentedReceiver(): Receiver {
  const block = blocksOf(readPage('docs/webhooks.md')).find(
    ({ language, code }) => language === 'js' && code.includes('function note('),
  );
  if (!block) throw new Error('docs/webhooks.md shows no receiver that ignores what is older');
  return new Function(`${block.code.replace('export ', '')}; return { note, latest };`)();
}

/** A receiver that replaces what it knows where `isNews` says so. */
function receiverBy(isNews: (event: Told, known: Told) => boolean): Receiver {
  const latest = new Map<string, Told>();
  return {
    latest,
    note(event) {
      const known = latest.get(subjectOf(event));
      if (known && !isNews(event, known)) return false;
      latest.set(subjectOf(event), event);
      return true;
    },
  };
}

const subjectOf = ({ data }: Told): string => data.attemptId ?? data.pinId ?? data.messageId ?? '';

/** The receiver's latest event of each subject, once these events have come. */
function believed(receiver: Receiver, events: readonly Told[]): Map<string, Told> {
  for (const event of events) receiver.note(event);
  return receiver.latest;
}

/** The events of the account as they are delivered, the order of their changes aside. */
async function told(): Promise<Told[]> {
  return t.sql<Told>(
    `select event, to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt", data::json as data
     from webhook_events where account_id = $1 order by id`,
    [toUuid(account.accountId)],
  );
}

/** Events in any order, each at least once. */
const comingOf = (events: readonly Told[], [order, repeats]: Coming): Told[] =>
  [...events, ...repeats.flatMap(place => events[place % events.length] ?? [])]
    .map((event, index) => ({ event, place: order[index % order.length] ?? 0 }))
    .sort((a, b) => a.place - b.place)
    .map(({ event }) => event);

type Coming = readonly [order: readonly number[], repeats: readonly number[]];

const coming: fc.Arbitrary<Coming> = fc.tuple(
  fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
  fc.array(fc.nat(20), { maxLength: 12 }),
);

/** The statuses that a receipt only confirms are told as one. */
const CLASSES: Readonly<Record<string, string>> = { delivered: 'sent', read: 'sent', expired: 'failed' };
const classOf = (status = 'nothing'): string => CLASSES[status] ?? status;

const OUTCOMES: Readonly<Record<'accepted' | 'refused' | 'unknown', () => SendOutcome>> = {
  accepted: acceptedOutcome,
  refused: () => REFUSED,
  unknown: () => UNKNOWN,
};

const outcome = fc.constantFrom(...(['accepted', 'refused', 'unknown'] as const));

test(
  'the documented receiver ends where a message and its SMS are, in whatever order their events come',
  async () => {
    const history = fc.record({
      mode: fc.constantFrom('fallback' as const, 'all' as const),
      chat: outcome,
      sms: outcome,
      receipts: fc.array(
        fc.tuple(fc.nat(1), fc.constantFrom('delivered' as const, 'failed' as const, 'sent' as const)),
        {
          maxLength: 5,
        },
      ),
    });
    await assertProperty(
      fc.asyncProperty(history, fc.array(coming, { minLength: 3, maxLength: 3 }), async (given, comings) => {
        await t.sql('delete from webhook_events where account_id = $1', [toUuid(account.accountId)]);
        answerWith(({ channel }) => OUTCOMES[channel === 'sms' ? given.sms : given.chat]());
        const { id, attempts = [] } = await sendBoth(given.mode);
        for (const [place, status] of given.receipts) await report(attempts[place]?.providerMessageId, status);
        const events = await told();
        expect(new Set(events.map(event => `${subjectOf(event)} ${event.createdAt}`)).size).toBe(events.length);
        const rows = await t.sql<{ id: string; status: string; channel: string }>(
          `select 'att_' || replace(id::text, '-', '') as id, status, channel from attempts where message_id = $1
           union all select 'msg_' || replace(id::text, '-', ''), status, 'sms' from messages where id = $1`,
          [toUuid(id)],
        );
        const stored = new Map(rows.map(row => [row.id, classOf(row.status)]));
        for (const one of comings) {
          const ends = believed(documentedReceiver(), comingOf(events, one));
          expect(ends.size).toBeGreaterThan(0);
          for (const [subject, { data }] of ends)
            expect([subject, classOf(data.status)]).toEqual([subject, stored.get(subject)]);
        }
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);

/** Sends a passcode, has a history of guesses happen, and answers its id with the events. */
async function playGuesses(guesses: readonly ('right' | 'wrong' | 'late')[]) {
  answerWith(acceptedOutcome);
  const ctx = createTestCtx(t.services, holderWith(account, {}));
  const otp = await sendOtp(ctx, { to: `+${newRecipient()}` });
  const pin = { pinId: otp.id, recipient: otp.recipient, code: codeOf(TEST_KEYS, otp) ?? '' };
  for (const each of guesses) {
    if (each === 'late') await t.sql('update otps set expires_at = now() where id = $1', [toUuid(otp.id)]);
    await guess(ctx, pin, each === 'right' ? pin.code : wrongCode(pin));
  }
  const [row] = await t.sql<{ status: string }>('select status from otps where id = $1', [toUuid(otp.id)]);
  const events = (await told()).filter(({ data }) => data.pinId === otp.id && !data.attemptId);
  return { pin, events, status: row?.status ?? '' };
}

describe('the events of a passcode', () => {
  const guesses = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant('wrong' as const) },
      { weight: 1, arbitrary: fc.constantFrom('right' as const, 'late' as const) },
    ),
    { minLength: 1, maxLength: 7 },
  );

  test(
    'lead the documented receiver to its status, in whatever order they come',
    async () => {
      await assertProperty(
        fc.asyncProperty(guesses, fc.array(coming, { minLength: 3, maxLength: 3 }), async (given, comings) => {
          const { pin, events, status } = await playGuesses(given);
          for (const one of comings)
            expect(believed(documentedReceiver(), comingOf(events, one)).get(pin.pinId)?.data.status).toBe(status);
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT_MS,
  );

  test.each([
    ['believes what came last', receiverBy(() => true)],
    ['believes what came first', receiverBy(() => false)],
  ])('lead a receiver elsewhere that %s', async (_what, receiver) => {
    const { pin, events, status } = await playGuesses(['wrong', 'wrong', 'right']);
    expect(status).toBe('verified');
    // Both ways round, so that none is right by chance.
    const ends = [events.toReversed(), events].map(each => {
      receiver.latest.clear();
      return believed(receiver, each).get(pin.pinId)?.data.status;
    });
    expect(ends).not.toEqual([status, status]);
  });

  test('have times in the order of 1,000 guesses at the same time over two processes', async () => {
    const { pin } = await playGuesses([]);
    const processes = [t.services, { ...t.services, database: other }];
    const ctxs = processes.map(services => createTestCtx(services, holderWith(account, {})));
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => {
        const ctx = ctxs[index % 2];
        return ctx && guess(ctx, pin, wrongCode(pin, index));
      }),
    );
    const events = (await told()).filter(({ data }) => data.pinId === pin.pinId && !data.attemptId);
    const inTime = events.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const left = inTime.flatMap(({ data }) =>
      'errorCode' in data && data.errorCode === 'otp_incorrect' && 'attemptsRemaining' in data
        ? [data.attemptsRemaining]
        : [],
    );
    expect(left).toEqual([4, 3, 2, 1, 0]);
    expect(new Set(inTime.map(({ createdAt }) => createdAt)).size).toBe(inTime.length);
    expect(inTime.at(-1)?.data.status).toBe('blocked');
  });
});

test('milliseconds do not tell the events of one commit apart, so a receiver that cuts them off goes astray', async () => {
  answerWith(acceptedOutcome);
  for (let sends = 0; sends < 10; sends++) await sendBoth('fallback');
  const events = (await told()).filter(({ event }) => event.startsWith('message.'));
  const astray = (make: () => Receiver): number => {
    const [one, back] = [events, events.toReversed()].map(each => believed(make(), each));
    return [...(one ?? [])].filter(([subject, { event }]) => back?.get(subject)?.event !== event).length;
  };
  const byDate = () => receiverBy((event, known) => new Date(event.createdAt) > new Date(known.createdAt));
  expect([events.length, astray(documentedReceiver)]).toEqual([20, 0]);
  expect(astray(byDate)).toBeGreaterThan(0);
});
