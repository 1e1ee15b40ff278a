/** The services of a connection that has no number to link. */
import { NOT_CONNECTED } from '../../../src/channels/chat-qr/outcomes.ts';
import type { ConnectionServices } from '../../../src/channels/contract.ts';
import { failedLink, type SessionLinks } from '../../../src/channels/session.ts';

/** Beside the other services of a provider. */
export const NO_SESSION: Pick<ConnectionServices, 'connectionId' | 'chatQrDir' | 'bySession' | 'onDeaf'> = {
  connectionId: `con_${'0'.repeat(32)}`,
  chatQrDir: '/nowhere',
  bySession: async () => NOT_CONNECTED,
  onDeaf: () => undefined,
};

/** The sessions of a gateway that has none. */
export const NO_SESSIONS: SessionLinks = {
  async *link() {
    yield failedLink('There is no session.');
  },
  tellUnlinked: () => undefined,
  holdOf: async () => null,
};
