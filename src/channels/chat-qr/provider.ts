/** The provider `chat-qr`: WhatsApp by a phone that is linked as its apps are, by a library that the operator adds (`driver/`). */
import type { ProviderDefinition } from '../contract.ts';
import { type ChatQrConfig, chatQrConfig } from './config.ts';
import { driverOf, libraryFault } from './driver-process.ts';
import { ChatNumber, LINK_TIMES } from './number.ts';

/** QR-linked chats, in the registry. */
export const chatQr: ProviderDefinition<ChatQrConfig> = {
  id: 'chat-qr',
  label: 'QR-linked chat',
  capabilities: { channels: ['chat_qr'], receipts: 'own' },
  configSchema: chatQrConfig,
  create: ({ number, perMinute, newPeoplePerDay }, services) => ({
    id: chatQr.id,
    capabilities: chatQr.capabilities,
    send: (request, signal) => services.bySession(request, signal),
    session: {
      number,
      perMinute,
      newPeoplePerDay,
      // The library is not in our packages: its licence (GPL-3.0) asks for more than ours.
      fault: () => libraryFault(services.chatQrDir),
      begin: (host, start) =>
        new ChatNumber(
          {
            connectionId: services.connectionId,
            number,
            driver: driverOf(services.chatQrDir),
            services,
            host,
            times: LINK_TIMES,
          },
          start,
        ),
    },
  }),
  async probe({ number }, { chatQrDir }) {
    const fault = libraryFault(chatQrDir);
    if (fault !== null) return { result: 'refused', message: fault };
    return {
      result: 'works',
      message: `The library is there. Save the connection, then link the phone with +${number}.`,
    };
  },
};
