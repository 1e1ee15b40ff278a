/** The list of providers, and the choice of one for an attempt. */
import type { Channel } from '../kernel/channel.ts';
import type { Provider, ProviderDefinition } from './contract.ts';
import { type SandboxConfig, type SandboxServices, sandbox } from './sandbox/provider.ts';

type ProviderServices = SandboxServices;

/** Every provider, in display order. */
export const PROVIDERS: readonly [ProviderDefinition<SandboxConfig, ProviderServices>] = [sandbox];

/** Chooses the provider of an attempt. */
export interface Providers {
  /** The provider of an account's channel: the sandbox, if it is on (contract §12). Null: the channel fails (`no_route`). */
  of(accountId: string, channel: Channel): Provider | null;
}

/** Builds the providers of a process. `hasSandbox`: whether the sandbox answers when no provider is connected. */
export function createProviders(services: ProviderServices, hasSandbox: boolean): Providers {
  const provider = hasSandbox ? sandbox.create(sandbox.configSchema.parse({}), services) : null;
  return { of: () => provider };
}
