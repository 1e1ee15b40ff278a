/** The providers of the ledger's model: they do what its sequences say, and some are stuck until they are woken. */
import type { Provider, SendRequest } from '../../../src/channels/contract.ts';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import type { Providers } from '../../../src/channels/providers.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import type { Act } from './ledger-model.ts';

/** The acts of providers for a recipient. */
export interface Plan {
  chat: Act;
  sms: Act;
  readonly of: AskedAccount;
  readonly onStuck: () => void;
}

/** The attempts of an account as the providers know them. */
export interface AskedAccount {
  /** The attempts that they were asked to make, in order. */
  readonly asked: Asked[];
  /** Those of them that nothing was heard of. */
  readonly stuck: Asked[];
  readonly plans: Plan[];
  /** How many processes are taking up what is under way. */
  overtakes: number;
  /** Whether one that was stuck has answered: its send goes on by itself, and may hold and release what it needs at any time. */
  isRestless: boolean;
}

/** By recipient, digits only: a sequence has recipients of its own. */
const plans = new Map<string, Plan>();

/** An attempt that a provider was asked to make. */
export interface Asked {
  readonly attemptId: string;
  readonly channel: string;
  /** The act of the provider; `stuck` until it answers. */
  act: Act;
  /** The provider's own id of the message. */
  readonly providerMessageId: string;
  /** Lets it answer. */
  wake(act: Exclude<Act, 'stuck'>): void;
  /** Whether a receipt proved that it was accepted, or denied it before that was known. */
  isProven: boolean;
  isDenied: boolean;
}

/** Lets providers act like this for a recipient from now on. Whoever asked for one before may be the one who is stuck. */
export function planFor(recipient: string, { onStuck, ...wanted }: Plan): void {
  const former = plans.get(recipient);
  const plan: Plan = {
    ...wanted,
    onStuck() {
      former?.onStuck();
      onStuck();
    },
  };
  plans.set(recipient, plan);
  plan.of.plans.push(plan);
}

/** The providers of every sequence: they do what its commands say. */
export function actByPlan(request: SendRequest, signal: AbortSignal): SendOutcome | Promise<SendOutcome> {
  const plan = plans.get(request.to);
  if (!plan) throw new Error(`nobody planned what becomes of ${request.to}`);
  const answer = Promise.withResolvers<SendOutcome>();
  const asked: Asked = {
    attemptId: toUuid(request.attemptId),
    channel: request.channel,
    act: plan[request.channel === 'sms' ? 'sms' : 'chat'],
    providerMessageId: newId('sbx'),
    isProven: false,
    isDenied: false,
    wake(act) {
      if (asked.act !== 'stuck') return;
      asked.act = act;
      plan.of.isRestless = true;
      answer.resolve(outcomeOf(asked));
    },
  };
  plan.of.asked.push(asked);
  if (plan.of.overtakes > 0) freeze(asked, plan);
  if (asked.act !== 'stuck') return outcomeOf(asked);
  freeze(null, plan);
  plan.of.stuck.push(asked);
  plan.onStuck();
  // Its process has given it up by then, on a machine that is busy.
  signal.addEventListener('abort', () => asked.act === 'stuck' && asked.wake('unknown'));
  return answer.promise;
}

/**
 * Two connections of every channel. Half of the attempts by the first one find it down, and the second follows. Both do what the sequences say.
 */
export function connectedByPlan(): Providers {
  const capabilities = { channels: ['chat_qr', 'chat_cloud', 'sms'], receipts: 'none' } as const;
  const first: Provider = {
    id: 'scripted',
    capabilities,
    send: async (request, signal) => (isDown(request) ? DOWN : actByPlan(request, signal)),
  };
  const second: Provider = {
    id: 'scripted',
    capabilities,
    send: async (request, signal) => actByPlan(request, signal),
  };
  const byId = new Map([
    [FIRST, first],
    [SECOND, second],
  ]);
  return {
    choose: () => [...byId].map(([connectionId, provider]) => ({ connectionId, provider })),
    of: connectionId => byId.get(connectionId ?? '') ?? null,
    passedOver: () => null,
    explain: () => ({ sentBy: 'account', considered: [] }),
    forTest: () => null,
    retryInMs: () => null,
    refresh: async () => undefined,
  };
}

const [FIRST, SECOND] = [newId('con'), newId('con')];
const DOWN: SendOutcome = { kind: 'unavailable', code: 'connection_failed', message: 'Nobody is there.' };

function isDown({ attemptId }: SendRequest): boolean {
  return Number.parseInt(attemptId.slice(-1), 16) % 2 === 0;
}

/** Lets nobody be stuck (again): whoever takes a send up is to come to an end. */
export function freeze(asked: Asked | null, plan: Plan): void {
  if (asked?.act === 'stuck') asked.act = 'unknown';
  if (plan.chat === 'stuck') plan.chat = 'unknown';
  if (plan.sms === 'stuck') plan.sms = 'unknown';
}

function outcomeOf(asked: Asked): SendOutcome {
  if (asked.act === 'rejected') return { kind: 'rejected', code: 'refused', message: 'Refused.' };
  if (asked.act === 'unknown') return { kind: 'unknown', code: 'timeout', message: 'No answer.' };
  return { kind: 'accepted', providerMessageId: asked.providerMessageId };
}
