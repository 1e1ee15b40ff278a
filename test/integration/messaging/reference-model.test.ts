import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import type { Message } from '../../../src/modules/messaging/message.entity.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { acceptedOutcome } from '../../support/app.ts';
import { setUpOtherProcess } from '../../support/fixtures.ts';
import {
  BODIES,
  playReferences,
  REFERENCE_COMMANDS,
  type RealReferences,
  type Send,
} from '../../support/messaging/reference-model.ts';
import { REFUSED, setUpScriptedSends, UNKNOWN } from '../../support/messaging/scripted-sends.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { createTestCtx } from '../../support/services.ts';

/** How many sequences are played: each asks the database some forty times. */
const RUNS = rounds({ usual: 40, long: 400 });

/** A deliberate fault is found within so many sequences. */
const BROKEN_RUNS = 200;

const { account, answerWith, asked, t } = setUpScriptedSends();
const other = setUpOtherProcess(t);

const OUTCOMES: Readonly<Record<(typeof BODIES)[number], () => SendOutcome>> = {
  'is accepted': acceptedOutcome,
  'is refused': () => REFUSED,
  'is unknown': () => UNKNOWN,
};

let held: { readonly text: string; called(): void; readonly released: Promise<void> } | null = null;

beforeEach(() => {
  held = null;
  answerWith(async ({ text }) => {
    const holding = held;
    if (holding?.text === text) {
      held = null;
      holding.called();
      await holding.released;
    }
    const body = BODIES.find(each => text.endsWith(each));
    return body ? OUTCOMES[body]() : REFUSED;
  });
});

function realWith(send: Send): RealReferences {
  return {
    send,
    ctx: (area, process) =>
      createTestCtx(process === 0 ? t.services : { ...t.services, database: other }, account.actor(area), t.clock),
    asked: prefix => asked.filter(({ text }) => text.startsWith(`${prefix}:`)).length,
    hold(text) {
      const called = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      held = { text, called: called.resolve, released: released.promise };
      return { called: called.promise, release: released.resolve };
    },
    async forget(area, reference) {
      await t.sql(
        'update idempotency_keys set expires_at = now() where account_id = $1 and area = $2 and reference = $3',
        [toUuid(account.accountId), area, reference],
      );
    },
  };
}

/** Requests of a wave come in any order. */
const propertyOf = (send: Send) =>
  fc.asyncProperty(REFERENCE_COMMANDS, fc.scheduler(), (commands, scheduler) => {
    const scheduled: Send = async (ctx, input) => {
      await scheduler.schedule(Promise.resolve(), `${input.reference}: ${input.text}`);
      return send(ctx, input);
    };
    return scheduler.waitFor(playReferences(commands, realWith(scheduled)));
  });

test(
  `a request is sent once for its reference, whatever is asked in which order (${RUNS} sequences)`,
  async () => {
    await assertProperty(propertyOf(sendMessage), { numRuns: RUNS, endOnFailure: true });
  },
  60_000 + RUNS * 1_000,
);

/** A send that keeps references itself, by this name, and looks them up before it sends. */
function keepingItself(
  nameOf: (area: string, reference: string) => string,
  isSame: (a: string, b: string) => boolean,
): Send {
  const kept = new Map<string, { readonly text: string; readonly message: Message | null }>();
  return async (ctx, input) => {
    const { reference, ...rest } = input;
    const name = nameOf('area' in ctx.actor ? ctx.actor.area : '', reference ?? '');
    // As if it asked a database: others go on meanwhile.
    await new Promise(resolve => setImmediate(resolve));
    const known = kept.get(name);
    if (!known) {
      const message = await sendMessage(ctx, rest);
      kept.set(name, { text: input.text, message });
      return message;
    }
    if (!isSame(known.text, input.text)) throw new AppError('reference_reused');
    if (!known.message) throw new AppError('reference_in_flight');
    ctx.request.answerHeaders.set('Idempotency-Replayed', 'true');
    return known.message;
  };
}

const byBoth = (area: string, reference: string): string => `${area} ${reference}`;
const sameText = (a: string, b: string): boolean => a === b;

describe('the model finds out', () => {
  test.each<[string, Send, RegExp]>([
    [
      'that looks a reference up and sends then',
      keepingItself(byBoth, sameText),
      /requests that were sent|while the first runs/,
    ],
    ['that does not look at the request', keepingItself(byBoth, () => true), /another request|requests that were sent/],
    ['that knows no areas', keepingItself((_area, reference) => reference, sameText), /requests that were sent/],
    [
      'that has no references',
      (ctx, { reference: _reference, ...input }) => sendMessage(ctx, input),
      /requests that were sent/,
    ],
  ])('a send %s', async (_what, send, fault) => {
    const { failed, errorInstance } = await fc.check(propertyOf(send), { numRuns: BROKEN_RUNS, endOnFailure: true });
    expect([failed, String(errorInstance)]).toEqual([true, expect.stringMatching(fault)]);
  });
});
