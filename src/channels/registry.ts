/** The list of providers, and which one an attempt goes through. */
import type { Channel } from '../kernel/channel.ts';
import type { Provider, ProviderDefinition } from './contract.ts';
import { type SandboxConfig, type SandboxServices, sandbox } from './sandbox/provider.ts';

/** What the providers of the registry are built with. */
type ProviderServices = SandboxServices;

/** Every provider there is, in the order in which they are shown. */
export const PROVIDERS: readonly [ProviderDefinition<SandboxConfig, ProviderServices>] = [sandbox];

/** Finds the provider of an attempt. */
export interface Providers {
  /**
   * The provider of an account's channel: the sandbox, where that is on (contract §12). Null: there is none, so that the channel fails
   * with `no_route`.
   */
  of(accountId: string, channel: Channel): Provider | null;
}

/** Builds the providers of a process. `hasSandbox`: whether the sandbox answers where nothing else does. */
export function createProviders(services: ProviderServices, hasSandbox: boolean): Providers {
  const provider = hasSandbox ? sandbox.create(sandbox.configSchema.parse({}), services) : null;
  return { of: () => provider };
}
