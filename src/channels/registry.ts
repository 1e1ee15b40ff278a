/** The list of providers, and which one an attempt goes through. */
import type { Channel } from '../kernel/channel.ts';
import type { Provider, ProviderDefinition } from './contract.ts';
import { type SandboxConfig, type SandboxServices, sandbox } from './sandbox/provider.ts';

/** What the providers of the registry are built with. */
export type ProviderServices = SandboxServices;

/** Every provider there is, in the order in which they are shown; the first is the one of an account that was given none. */
export const PROVIDERS: readonly [ProviderDefinition<SandboxConfig, ProviderServices>] = [sandbox];

/** Finds the provider of an attempt. */
export interface Providers {
  /** The provider of an account's channel: the sandbox until the account is given a real one (contract §9). */
  of(accountId: string, channel: Channel): Provider;
}

/** Builds the providers of a process. */
export function createProviders(services: ProviderServices): Providers {
  const [first] = PROVIDERS;
  const provider = first.create(first.configSchema.parse({}), services);
  return { of: () => provider };
}
