/** Tries an SMSC without a text: binds, and unbinds. */
import type { Probed } from '../contract.ts';
import { noAnswerFrom } from '../faults.ts';
import { BindRefused } from './answers.ts';
import type { SmppConfig } from './config.ts';
import { type BindKind, SmppSession } from './session.ts';
import { placeOf } from './socket.ts';

/** Binds as a connection with this config would, one session of each kind. */
export async function probeSmsc(config: SmppConfig, signal: AbortSignal): Promise<Probed> {
  const kinds: readonly BindKind[] = config.bind === 'separate' ? ['transmitter', 'receiver'] : ['transceiver'];
  const error = await tryBinds(config, kinds, signal);
  if (error) return { result: error instanceof BindRefused ? 'refused' : 'unreachable', message: error.message };
  return { result: 'works', message: 'The SMSC lets the gateway in.' };
}

/** Null: all were bound, each while those before it were, and are unbound. */
async function tryBinds(config: SmppConfig, kinds: readonly BindKind[], signal: AbortSignal): Promise<Error | null> {
  const [kind, ...others] = kinds;
  if (kind === undefined) return null;
  const { promise, resolve } = Promise.withResolvers<Error | null>();
  const session = new SmppSession(config, kind, {
    onBound: () => resolve(null),
    // Nobody is here to store it: the SMSC sends it again later.
    onDelivery: async () => false,
    onRoom: () => undefined,
    onLeave: () => undefined,
    onEnd: resolve,
  });
  const stop = (): void => session.end(new Error(noAnswerFrom(placeOf(config))));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const refusal = await promise;
  const error = refusal ?? (await tryBinds(config, others, signal));
  if (!refusal) await session.unbind();
  signal.removeEventListener('abort', stop);
  return error;
}
