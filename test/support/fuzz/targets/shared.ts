/** Helpers that targets share. */
import type { ConnectionServices } from '../../../../src/channels/contract.ts';
import { NO_SESSION } from '../../providers/no-session.ts';

/** The services that a provider is given; reports and messages go nowhere. */
export const SERVICES: ConnectionServices = {
  ...NO_SESSION,
  receiptsUrl: 'https://gateway.example/receipts/con_1/a-token-that-nobody-guesses',
  userAgent: 'Heliograph',
  receive: async () => undefined,
  hear: async () => undefined,
  onLink: () => undefined,
};

/** An input as three texts, cut at the first separators; what is missing is empty. */
export function partsOf(input: Buffer, separator: string, count: 3): readonly [string, string, string] {
  const parts = input.toString('utf8').split(separator);
  return [parts[0] ?? '', parts[1] ?? '', parts.slice(count - 1).join(separator)];
}
