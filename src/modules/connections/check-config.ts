/** Checks the config of a connection by the schema of its provider. */
import type { ProviderDefinition } from '../../channels/contract.ts';
import { PROVIDERS, providerOf } from '../../channels/registry.ts';
import { faultyInput, invalidInput } from '../../kernel/errors.ts';
import { toInputError } from '../../kernel/input.ts';
import { isStorableJson, UNSTORABLE } from '../../kernel/storable.ts';
import { maskedSecrets } from './sealed-config.ts';

/** The provider of an id. @throws AppError `invalid_input` on `provider` */
export function definitionOf(provider: string): ProviderDefinition<unknown> {
  const definition = providerOf(provider);
  if (!definition) throw invalidInput('provider', `must be one of ${PROVIDERS.map(({ id }) => id).join(', ')}`);
  return definition;
}

/** The config as its provider keeps it. @throws AppError `invalid_input` on `config.…` */
export function checkConfig(
  { configSchema }: ProviderDefinition<unknown>,
  config: Record<string, unknown>,
): Record<string, unknown> {
  if (!isStorableJson(config)) throw invalidInput('config', UNSTORABLE);
  const masked = maskedSecrets(configSchema, config);
  if (masked.length > 0)
    throw faultyInput(
      masked.map(path => ({
        field: `config.${path}`,
        message: 'is the mask of a secret that is not kept: give the secret',
      })),
    );
  const parsed = configSchema.safeParse(config);
  if (parsed.success) return parsed.data as Record<string, unknown>;
  const { errors = [] } = toInputError(parsed.error, config).details;
  throw faultyInput(errors.map(({ field, message }) => ({ field: `config.${field}`, message })));
}
