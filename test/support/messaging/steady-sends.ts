/** Sends at a steady rate, each with a reference and a text of its own, and what each was answered. */
import { setInterval } from 'node:timers/promises';
import { type Gateway, type Sent, send, TEXT } from '../processes/gateway.ts';

/** A send, and its answer. */
export interface SteadySend {
  readonly request: {
    readonly reference: string;
    readonly to: string;
    readonly text: string;
    readonly channels: readonly string[];
  };
  readonly endedMs: number;
  readonly status: number;
  readonly code: string | undefined;
  readonly contentType: string | null;
  readonly retryAfter: string | null;
  readonly messageId: string | undefined;
}

/** Every other one goes by chat, and by SMS where that fails; the provider takes two seconds over one in ten. */
function requestOf(index: number): SteadySend['request'] {
  return {
    reference: `steady-${index}`,
    to: index % 10 < 9 ? '+12025550100' : '+12025550107',
    text: `${TEXT} ${index}`,
    channels: index % 2 === 0 ? ['sms'] : ['chat_qr', 'sms'],
  };
}

/** Sends so many a second until it is told to end, whatever is answered, and awaits every answer. */
export async function sendSteadily(
  gateway: Pick<Gateway, 'url'>,
  token: string,
  rate: { readonly perSecond: number; readonly signal: AbortSignal },
): Promise<SteadySend[]> {
  const startedMs = performance.now();
  const sends: Promise<SteadySend>[] = [];
  for await (const _tick of setInterval(20)) {
    if (rate.signal.aborted) break;
    const elapsedMs = performance.now() - startedMs;
    while (sends.length < (elapsedMs / 1_000) * rate.perSecond)
      sends.push(sendOne(gateway, token, requestOf(sends.length)));
  }
  return Promise.all(sends);
}

/** Sends, or sends again: the same request is told by its reference. @throws Error where there is no answer */
export async function sendOne(
  gateway: Pick<Gateway, 'url'>,
  token: string,
  request: SteadySend['request'],
): Promise<SteadySend> {
  const answer = await send(gateway, token, { ...request, chatFrom: '15550000001' });
  return { request, endedMs: performance.now(), ...shown(answer) };
}

function shown({ status, headers, body }: Sent): Omit<SteadySend, 'request' | 'endedMs'> {
  return {
    status,
    code: body.code,
    contentType: headers.get('content-type'),
    retryAfter: headers.get('retry-after'),
    messageId: body.data?.messageId,
  };
}
