/** The options of a fake Graph API that a test leaves out. */
import type { GraphNumber, GraphOptions, GraphTemplate } from './options.ts';

/** The number of a fake that was told of no other. */
export const GRAPH_NUMBER: GraphNumber = {
  phoneNumberId: '106540352242922',
  displayNumber: '15550000002',
  businessAccountId: '102290129340398',
  accessToken: 'EAAG-a-token-of-the-graph-3f0a9c51',
};

/** An authentication template as Meta lists it, and what a fake has that was told of no other. */
export const OTP_TEMPLATE: GraphTemplate = {
  name: 'otp_code',
  language: 'en_US',
  category: 'AUTHENTICATION',
  status: 'APPROVED',
  components: [
    { type: 'BODY', text: '*{{1}}* is your verification code.', add_security_recommendation: false },
    {
      type: 'BUTTONS',
      buttons: [{ type: 'URL', text: 'Copy code', url: 'https://www.whatsapp.com/otp/code/?code=otp{{1}}' }],
    },
  ],
};

/** A template without parameters. */
export const HELLO_TEMPLATE: GraphTemplate = {
  name: 'hello',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Hello, your order is on its way.' }],
};

/** The options of a fake that was told none. */
export const DEFAULTS = {
  numbers: [GRAPH_NUMBER],
  appSecret: 'an-app-secret-of-the-graph-8d41e7',
  verifyToken: 'a-verify-token-of-the-graph-5b20',
  versions: ['v22.0', 'v23.0', 'v24.0', 'v25.0', 'v26.0'],
  rates: {},
  clock: () => Date.now(),
  templates: [OTP_TEMPLATE],
  windows: {},
  isLate: true,
  statuses: [],
  httpStatuses: {},
  slowMs: 15_000,
} as const satisfies GraphOptions;
