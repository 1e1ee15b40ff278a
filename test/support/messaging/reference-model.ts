/** A model of references: what a request hears whose reference was used before, and how often providers are asked. */
import fc from 'fast-check';
import type { Ctx } from '../../../src/context.ts';
import { toAppError } from '../../../src/db/failures.ts';
import type { Message } from '../../../src/modules/messaging/message.entity.ts';
import type { sendMessage } from '../../../src/modules/messaging/send-message.ts';

/** The verb, or what stands for it. */
export type Send = (ctx: Ctx, input: Parameters<typeof sendMessage>[1]) => Promise<Message>;

/** The areas that have references, each with its own. */
const AREAS = ['unified', 'sms'] as const;
type Area = (typeof AREAS)[number];

/** How the provider answers a request, by the text of it. */
export const BODIES = ['is accepted', 'is refused', 'is unknown'] as const;

/** The gateway that the model plays against, with its provider and its days. */
export interface RealReferences {
  readonly send: Send;
  /** A request of an area at one of two processes. */
  ctx(area: Area, process: number): Ctx;
  /** How often the provider was asked for a text that begins like this. */
  asked(prefix: string): number;
  /** Has the provider hold its answer to a text, and answers how to release it. `called`: once it was asked. */
  hold(text: string): { readonly called: Promise<void>; release(): void };
  /** Lets the days pass for which a reference is kept. */
  forget(area: Area, reference: string): Promise<void>;
}

/** The request that holds a reference. */
interface Holder {
  readonly body: number;
  readonly id: string | null;
  /** Ends the request that is under way; null: it is over. */
  readonly end: (() => Promise<string>) | null;
}

/** The state that should be, by area and reference. */
interface Model {
  /** Makes the references and texts of a run its own. */
  readonly run: string;
  readonly holders: Map<string, Holder>;
  asked: number;
}

type Command = fc.AsyncCommand<Model, RealReferences>;

/** The outcome of a call. */
interface Heard {
  readonly body: number;
  readonly what: 'first' | 'again' | 'reference_reused' | 'reference_in_flight';
  readonly id: string | null;
}

const textOf = (model: Model, body: number): string => `${model.run}: it ${BODIES[body]}`;
const nameOf = (area: Area, reference: number): string => `${area} ${reference}`;

async function call(model: Model, real: RealReferences, area: Area, reference: number, body: number, process: number) {
  const ctx = real.ctx(area, process);
  const text = textOf(model, body);
  const input = {
    to: '+12125550123',
    text,
    channels: ['sms' as const],
    sender: 'ACME',
    reference: `${model.run} ${reference}`,
  };
  try {
    const { id } = await real.send(ctx, input);
    return {
      body,
      what: ctx.request.answerHeaders.has('Idempotency-Replayed') ? 'again' : 'first',
      id,
    } satisfies Heard;
  } catch (error) {
    const code = toAppError(error)?.code;
    if (code !== 'reference_reused' && code !== 'reference_in_flight') throw error;
    return { body, what: code, id: null } satisfies Heard;
  }
}

function expectEqual(what: string, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

/** Requests at the same time, over both processes. */
class SendCommand implements Command {
  readonly area: Area;
  readonly reference: number;
  readonly bodies: readonly number[];

  constructor(area: Area, reference: number, bodies: readonly number[]) {
    this.area = area;
    this.reference = reference;
    this.bodies = bodies;
  }

  check = (): boolean => true;

  async run(model: Model, real: RealReferences): Promise<void> {
    const name = nameOf(this.area, this.reference);
    const heard = await Promise.all(
      this.bodies.map((body, index) => call(model, real, this.area, this.reference, body, index % 2)),
    );
    let holder = model.holders.get(name);
    const firsts = heard.filter(({ what }) => what === 'first');
    expectEqual('requests that were sent', firsts.length, holder ? 0 : 1);
    const [first] = firsts;
    const isNew = holder === undefined;
    if (first) {
      holder = { body: first.body, id: first.id, end: null };
      model.holders.set(name, holder);
      model.asked += 1;
    }
    for (const { body, what, id } of heard) {
      if (what === 'first') continue;
      if (body !== holder?.body) expectEqual('another request with a used reference', what, 'reference_reused');
      else if (holder.end) expectEqual('the same request while the first runs', what, 'reference_in_flight');
      // Beside the first one it may come before its end.
      else if (!isNew || what !== 'reference_in_flight')
        expectEqual('the same request', [what, id], ['again', holder.id]);
    }
    expectEqual('how often the provider was asked', real.asked(model.run), model.asked);
  }

  toString = (): string => `send(${this.area}, ${this.reference}, [${this.bodies}])`;
}

/** A request whose provider answers later. */
class HoldCommand implements Command {
  readonly area: Area;
  readonly reference: number;
  readonly body: number;

  constructor(area: Area, reference: number, body: number) {
    this.area = area;
    this.reference = reference;
    this.body = body;
  }

  // The provider holds by the text, so one request of each is held at a time.
  check = ({ holders }: Model): boolean =>
    !holders.has(nameOf(this.area, this.reference)) && [...holders.values()].every(({ end }) => end === null);

  async run(model: Model, real: RealReferences): Promise<void> {
    const { called, release } = real.hold(textOf(model, this.body));
    const running = call(model, real, this.area, this.reference, this.body, 0);
    // A broken send may end without having asked: it would be waited for without end.
    const isAsked = await Promise.race([called.then(() => true), running.then(() => false)]);
    expectEqual('requests that were sent', isAsked, true);
    model.asked += 1;
    const end = async (): Promise<string> => {
      release();
      const { what, id } = await running;
      expectEqual('the request that ran', what, 'first');
      return id ?? '';
    };
    model.holders.set(nameOf(this.area, this.reference), { body: this.body, id: null, end });
  }

  toString = (): string => `hold(${this.area}, ${this.reference}, ${this.body})`;
}

/** The request that is under way ends. */
class ReleaseCommand implements Command {
  check = ({ holders }: Model): boolean => [...holders.values()].some(({ end }) => end !== null);

  async run(model: Model): Promise<void> {
    for (const [name, { body, end }] of model.holders)
      if (end) model.holders.set(name, { body, id: await end(), end: null });
  }

  toString = (): string => 'release()';
}

/** Thirty days pass for a reference whose request is over. */
class ForgetCommand implements Command {
  readonly area: Area;
  readonly reference: number;

  constructor(area: Area, reference: number) {
    this.area = area;
    this.reference = reference;
  }

  check = ({ holders }: Model): boolean => holders.get(nameOf(this.area, this.reference))?.end === null;

  async run(model: Model, real: RealReferences): Promise<void> {
    await real.forget(this.area, `${model.run} ${this.reference}`);
    model.holders.delete(nameOf(this.area, this.reference));
  }

  toString = (): string => `forget(${this.area}, ${this.reference})`;
}

const area = fc.constantFrom(...AREAS);
const reference = fc.nat(1);
const body = fc.nat(BODIES.length - 1);

/** Sequences of what happens to references. */
export const REFERENCE_COMMANDS = fc.commands<Model, RealReferences, false>(
  [
    fc.tuple(area, reference, fc.array(body, { minLength: 1, maxLength: 1 })).map(given => new SendCommand(...given)),
    fc.tuple(area, reference, fc.array(body, { minLength: 2, maxLength: 6 })).map(given => new SendCommand(...given)),
    fc.tuple(area, reference, body).map(given => new HoldCommand(...given)),
    fc.constant(new ReleaseCommand()),
    fc.tuple(area, reference).map(given => new ForgetCommand(...given)),
  ],
  { maxCommands: 12 },
);

let runsSoFar = 0;

/** Plays a sequence. @throws Error where an answer, or the number of requests to the provider, differs from the model */
export async function playReferences(commands: Iterable<Command>, real: RealReferences): Promise<void> {
  runsSoFar += 1;
  const model: Model = { run: `run ${runsSoFar}`, holders: new Map(), asked: 0 };
  try {
    await fc.asyncModelRun(() => ({ model, real }), commands);
  } finally {
    for (const { end } of model.holders.values()) await end?.();
  }
}
