/** The providers that an attempt may take: those of connections, or the sandbox where nothing is connected (contract §12). */
import type { Provider } from '../../../channels/contract.ts';
import type { Choice, Providers } from '../../../channels/providers.ts';
import { isMagic } from '../../../channels/sandbox/recipients.ts';
import type { ConnectionTable, LiveConnection } from './connection-table.ts';

/** Makes the providers of a process. @param sandbox null: it is off */
export function createProviders(table: ConnectionTable | null, sandbox: Provider | null): Providers {
  const sandboxed: readonly Choice[] = sandbox ? [{ connectionId: null, provider: sandbox }] : [];
  return {
    choose(wanted) {
      if (sandbox && isMagic(wanted.recipient)) return sandboxed;
      const chosen = table?.choose(wanted) ?? null;
      return chosen === null ? sandboxed : chosen.flatMap(choiceOf);
    },
    passedOver(wanted, firstId) {
      return sandbox && isMagic(wanted.recipient) ? null : (table?.passedOver(wanted, firstId) ?? null);
    },
    explain(wanted) {
      const sandboxed = { sentBy: sandbox ? ('sandbox' as const) : ('nobody' as const), considered: [] };
      if (sandbox && isMagic(wanted.recipient)) return sandboxed;
      return table?.explain(wanted) ?? sandboxed;
    },
    // Whoever could not read it now reads it again in a second.
    refresh: async () => table?.refresh().catch(() => undefined),
    of: connectionId => (connectionId === null ? sandbox : (table?.get(connectionId)?.line?.provider ?? null)),
    retryInMs: connectionId => table?.get(connectionId)?.line?.breaker.retryInMs ?? null,
    forTest(connectionId) {
      const line = table?.get(connectionId)?.line;
      return line ? { ...line.provider, send: (request, signal) => line.try(request, signal) } : null;
    },
  };
}

function choiceOf({ id, line }: LiveConnection): Choice[] {
  return line ? [{ connectionId: id, provider: line.provider }] : [];
}
