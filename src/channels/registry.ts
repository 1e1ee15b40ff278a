/** The list of providers that a connection can have. The sandbox is none of them: it answers where nothing is connected. */
import { chatQr } from './chat-qr/provider.ts';
import type { ProviderDefinition } from './contract.ts';
import { httpSms } from './http-sms/provider.ts';
import { smpp } from './smpp/provider.ts';
import { twilio } from './twilio/provider.ts';
import { vonage } from './vonage/provider.ts';
import { whatsAppCloud } from './whatsapp-cloud/provider.ts';

/** Every provider, in display order. */
export const PROVIDERS: readonly ProviderDefinition<unknown>[] = [smpp, httpSms, twilio, vonage, whatsAppCloud, chatQr];

/** The provider of an id; undefined: this version has none. */
export function providerOf(id: string): ProviderDefinition<unknown> | undefined {
  return PROVIDERS.find(provider => provider.id === id);
}
