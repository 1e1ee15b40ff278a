/** Provider calls that take long are told of, so that waiting for others does not count as work. */
import type { Provider } from './contract.ts';
import type { Providers } from './registry.ts';

/** From when on a call is one that waits. Shorter ones are not worth telling. */
const LONG_MS = 100;

/**
 * The same providers; `onLong` is told of each call that takes longer than 100 ms, in the async context of the call, and what it
 * answers is called when the call ends, or when its deadline has passed.
 */
export function watchProviders(providers: Providers, onLong: () => () => void): Providers {
  const watched = new WeakMap<Provider, Provider>();
  return {
    of(accountId, channel) {
      const provider = providers.of(accountId, channel);
      if (!provider) return null;
      const known = watched.get(provider) ?? watch(provider, onLong);
      watched.set(provider, known);
      return known;
    },
  };
}

function watch(provider: Provider, onLong: () => () => void): Provider {
  return {
    id: provider.id,
    capabilities: provider.capabilities,
    async send(request, signal) {
      let onEnd: (() => void) | null = null;
      const timer = setTimeout(() => {
        onEnd = onLong();
      }, LONG_MS);
      const end = (): void => {
        clearTimeout(timer);
        onEnd?.();
        onEnd = null;
      };
      // A provider that never answers is not waited for past its deadline.
      signal.addEventListener('abort', end, { once: true });
      try {
        return await provider.send(request, signal);
      } finally {
        end();
      }
    },
  };
}
