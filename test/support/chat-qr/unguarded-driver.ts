/** The driver without its keeper of sessions: what is stored of a key is left to the library. A test must notice that. */
import { loadLibrary } from '../../../src/channels/chat-qr/driver/library.ts';
import { drive, prepare } from '../../../src/channels/chat-qr/driver/main.ts';

prepare();
const library = await loadLibrary(process.argv[2] ?? '');
library.WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(process.env.CHAT_QR_ROOT ?? '', 'hex');
drive(
  {
    ...library,
    makeWASocket: config =>
      library.makeWASocket({ ...config, makeSignalRepository: library.DEFAULT_CONNECTION_CONFIG.makeSignalRepository }),
  },
  process.env.CHAT_QR_SERVER,
);
