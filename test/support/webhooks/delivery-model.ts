/** A model of the deliveries to one endpoint: what is tried when, how often, and what it comes to. */
import fc from 'fast-check';
import { RETRY_DELAYS_SECONDS } from '../../../src/modules/webhooks/deliveries/retry.policy.ts';
import type { StoredDelivery } from './stored-webhooks.ts';

/** Answers of the endpoint, and the seconds that they ask to wait. */
export const ANSWERS = {
  acknowledges: { status: 204 },
  fails: { status: 500 },
  redirects: { status: 302 },
  'asks to wait': { status: 503, retryAfter: 3_000 },
  'is gone': { status: 410 },
} as const;

/** A name of an answer. */
export type AnswerName = keyof typeof ANSWERS;

/** The parts that the model plays against: a worker, an endpoint, and the clock. */
export interface RealDeliveries {
  answer(name: AnswerName): void;
  /** Makes deliveries due, and answers their ids. */
  queue(count: number): Promise<readonly string[]>;
  /** Lets the wait of all that are pending pass. */
  pass(): Promise<void>;
  setPaused(isPaused: boolean): Promise<void>;
  /** Stops the worker as a deployment does, and starts another one. */
  restart(): Promise<void>;
  /** Lets a delivery have had so many tries of the schedule. */
  setStep(id: string, step: number): Promise<void>;
  redeliver(id: string): Promise<void>;
  /** Resolves when so many more tries are stored. */
  tried(count: number): Promise<void>;
  /** Resolves when nothing is pending any more. */
  over(): Promise<void>;
  /** The deliveries as they are stored. Pending ones are then put off by hours, so that none comes due meanwhile. */
  look(): Promise<readonly StoredDelivery[]>;
  /** How many requests have arrived. */
  received(): number;
}

interface Delivery {
  status: 'pending' | 'delivered' | 'dead';
  tries: number;
  /** Tries since it was last begun again. */
  step: number;
  isDue: boolean;
}

interface Model {
  readonly deliveries: Map<string, Delivery>;
  answer: AnswerName;
  isPaused: boolean;
  isGone: boolean;
  received: number;
  /** Tries since the worker began: from ten on a breaker may open, which this model leaves out. */
  counted: number;
}

type Command = fc.AsyncCommand<Model, RealDeliveries>;

/** The most tries that one worker makes. */
const COUNTED_MAX = 9;

const pendingOf = ({ deliveries }: Model): Delivery[] =>
  [...deliveries.values()].filter(({ status }) => status === 'pending');

const hasRoom = (model: Model, more: number): boolean =>
  !model.isGone && model.counted + pendingOf(model).length + more <= COUNTED_MAX;

/** Tries what is due, unless the endpoint is paused, and compares what is stored. */
async function settle(model: Model, real: RealDeliveries): Promise<void> {
  const { status } = ANSWERS[model.answer];
  const due = [...model.deliveries].filter(([, { status: stands, isDue }]) => stands === 'pending' && isDue);
  const tried = new Set(model.isPaused ? [] : due.map(([id]) => id));
  for (const id of tried) {
    const delivery = of(model, id);
    delivery.isDue = false;
    delivery.tries += 1;
    delivery.step += 1;
    if (status === 204) delivery.status = 'delivered';
    else if (status === 410 || delivery.step > RETRY_DELAYS_SECONDS.length) delivery.status = 'dead';
  }
  model.counted += tried.size;
  if (tried.size > 0 && status === 410) return settleGone(model, real);
  await real.tried(tried.size);
  model.received += tried.size;
  for (const row of await real.look()) compare(row, of(model, row.id), tried.has(row.id) ? model.answer : null);
  equal('requests that arrived', real.received(), model.received);
}

/** The endpoint is disabled: what waits is given up, and what is tried at the same time may be given up before its answer comes. */
async function settleGone(model: Model, real: RealDeliveries): Promise<void> {
  model.isGone = true;
  await real.over();
  for (const [id, { status }] of model.deliveries) {
    const row = (await real.look()).find(each => each.id === id);
    equal('a delivery to an endpoint that is gone', row?.status, status === 'delivered' ? 'delivered' : 'dead');
  }
}

function of({ deliveries }: Model, id: string): Delivery {
  const delivery = deliveries.get(id);
  if (!delivery) throw new Error(`a delivery that nobody made: ${id}`);
  return delivery;
}

/** How long a look may come after the try, on a busy machine. */
const SLACK_SECONDS = 4;

/** @param answer the answer to its latest try; null: it was not tried just now */
function compare(row: StoredDelivery, { status, tries, step }: Delivery, answer: AnswerName | null): void {
  equal('a delivery', [row.status, row.tries, row.step], [status, tries, step]);
  if (status !== 'pending') equal('the next try of what is over', row.next_in, null);
  const delay = RETRY_DELAYS_SECONDS[step - 1];
  if (status !== 'pending' || answer === null || delay === undefined) return;
  const chosen = ANSWERS[answer];
  const asked = 'retryAfter' in chosen ? chosen.retryAfter : 0;
  const [wait, least, most] = [row.next_in ?? Number.NaN, Math.max(delay, asked), Math.max(delay * 1.2, asked)];
  if (!(wait > least - SLACK_SECONDS && wait <= most))
    throw new Error(`after try ${step} the next one is in ${wait} s, not in ${least} to ${most} s`);
}

function equal(what: string, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

/** A command that needs nothing of its own beside its words. */
function command(
  words: string,
  check: (model: Readonly<Model>) => boolean,
  run: (model: Model, real: RealDeliveries) => Promise<unknown>,
): Command {
  return {
    check: model => !model.isGone && check(model),
    async run(model, real) {
      await run(model, real);
      await settle(model, real);
    },
    toString: () => words,
  };
}

/** The delivery that a number means, of those that there are. */
function pick({ deliveries }: Model, number: number): string {
  return [...deliveries.keys()][number % deliveries.size] ?? '';
}

const COMMANDS: readonly [weight: number, fc.Arbitrary<Command>][] = [
  [
    4,
    fc.integer({ min: 1, max: 2 }).map(count =>
      command(
        `queue(${count})`,
        model => hasRoom(model, count),
        async (model, real) => {
          for (const id of await real.queue(count))
            model.deliveries.set(id, { status: 'pending', tries: 0, step: 0, isDue: true });
        },
      ),
    ),
  ],
  [
    5,
    fc.constant(
      command(
        'pass()',
        model => pendingOf(model).length > 0 && hasRoom(model, 0),
        async (model, real) => {
          await real.pass();
          for (const delivery of pendingOf(model)) delivery.isDue = true;
        },
      ),
    ),
  ],
  [
    4,
    fc
      .constantFrom<AnswerName>('acknowledges', 'fails', 'fails', 'fails', 'redirects', 'asks to wait', 'is gone')
      .map(name =>
        command(
          `it ${name}`,
          () => true,
          async (model, real) => {
            real.answer(name);
            model.answer = name;
          },
        ),
      ),
  ],
  [
    2,
    fc.boolean().map(isPaused =>
      command(
        isPaused ? 'pause()' : 'resume()',
        model => model.isPaused !== isPaused && hasRoom(model, 0),
        async (model, real) => {
          await real.setPaused(isPaused);
          model.isPaused = isPaused;
        },
      ),
    ),
  ],
  [
    1,
    fc.constant(
      command(
        'restart()',
        () => true,
        async (model, real) => {
          await real.restart();
          model.counted = 0;
        },
      ),
    ),
  ],
  [
    2,
    fc.tuple(fc.nat(), fc.integer({ min: 1, max: RETRY_DELAYS_SECONDS.length })).map(([number, step]) =>
      command(
        `setStep(${number}, ${step})`,
        ({ deliveries }) => deliveries.size > 0,
        async (model, real) => {
          const id = pick(model, number);
          await real.setStep(id, step);
          of(model, id).step = step;
        },
      ),
    ),
  ],
  [
    2,
    fc.nat().map(number =>
      command(
        `redeliver(${number})`,
        model => model.deliveries.size > 0 && hasRoom(model, 1),
        async (model, real) => {
          const id = pick(model, number);
          await real.redeliver(id);
          const delivery = of(model, id);
          if (delivery.status !== 'pending') delivery.step = 0;
          delivery.status = 'pending';
          delivery.isDue = true;
        },
      ),
    ),
  ],
];

/** Sequences of what happens to an endpoint. */
export const DELIVERY_COMMANDS = fc.commands<Model, RealDeliveries, false>(
  COMMANDS.flatMap(([weight, arbitrary]) => Array.from({ length: weight }, () => arbitrary)),
  { maxCommands: 20, size: 'max' },
);

/** Plays a sequence on a new endpoint. @throws Error where stored deliveries or requests differ from the model */
export async function playDeliveries(commands: Iterable<Command>, real: RealDeliveries): Promise<void> {
  const model: Model = {
    deliveries: new Map(),
    answer: 'acknowledges',
    isPaused: false,
    isGone: false,
    received: 0,
    counted: 0,
  };
  await fc.asyncModelRun(() => ({ model, real }), commands);
}
