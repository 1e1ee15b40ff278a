/** Tries a provider without a text. */
import { USER_AGENT } from '../kernel/process/version.ts';
import type { Probed, ProviderDefinition } from './contract.ts';
import { PROVIDER_DEADLINE_MS } from './dispatch.ts';

/** Finds out whether a config works, within the time of one provider call; never throws. @param config as the provider's schema has checked it */
export async function probe(
  definition: ProviderDefinition<unknown>,
  config: unknown,
  chatQrDir: string,
): Promise<Probed> {
  const signal = AbortSignal.timeout(PROVIDER_DEADLINE_MS);
  try {
    return await definition.probe(config, { userAgent: USER_AGENT, chatQrDir }, signal);
  } catch {
    return { result: 'unclear', message: 'The try broke off. Check the config, and try again.' };
  }
}
