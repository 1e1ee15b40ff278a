/** Connections to the Graph API of the bench, which is an HTTP gateway too. */
import { join } from 'node:path';
import { DEFAULTS, GRAPH_NUMBER, HELLO_TEMPLATE } from '../../support/whatsapp/defaults.ts';
import type { Gateway } from '../kit/gateway.ts';

/** The program of the Graph API. */
export const GRAPH = join(import.meta.dirname, 'graph-server.ts');

/** The template by which the bench sends. */
export const TEMPLATE = { name: HELLO_TEMPLATE.name, language: HELLO_TEMPLATE.language };

/** The most messages a second that a number may be set to; a tenth of them is left unused. */
const THROUGHPUT = 1_000;

/** Messages a second that are offered: fewer than the number lets through, so that its pace does not decide. */
export const RATE = 400;

/** A connection that was made. */
interface Made {
  readonly connectionId: string;
  readonly receiptsUrl: string;
}

const CREATE =
  'mutation ($input: CreateConnectionInput!) { result: createConnection(input: $input) { connectionId receiptsUrl } }';

/** Gives an account a number of WhatsApp Cloud, and reads its templates; answers the address of callbacks. */
export async function connectCloud({ operate, accountId }: Gateway, baseUrl: string): Promise<string> {
  const { phoneNumberId, accessToken, businessAccountId } = GRAPH_NUMBER;
  const { appSecret, verifyToken } = DEFAULTS;
  const config = {
    ...{ phoneNumberId, accessToken, businessAccountId, appSecret, verifyToken, baseUrl },
    throughput: THROUGHPUT,
  };
  const input = { accountId, provider: 'whatsapp-cloud', channel: 'CHAT_CLOUD', name: 'Cloud', config };
  const sender = { accountId, channel: 'CHAT_CLOUD', name: GRAPH_NUMBER.displayNumber };
  await operate('mutation ($input: SenderInput!) { result: addSender(input: $input) { id } }', sender);
  await operate('mutation ($input: SenderInput!) { result: approveSender(input: $input) { id } }', sender);
  const { connectionId, receiptsUrl } = await operate<Made>(CREATE, input);
  await operate(`mutation { result: syncTemplates(connectionId: "${connectionId}") { result } }`, {});
  return receiptsUrl;
}

/** Connects an account to the same server by `http-sms`, with as much in a request, and reads the same id from the answer. */
export async function connectGateway({ operate, accountId }: Gateway, url: string): Promise<void> {
  const config = {
    request: { url: `${url}/messages`, json: { to: '{{to}}', text: '{{text}}', id: '{{attemptId}}' } },
    accepted: { status: [200] },
    messageId: 'json:/messages/0/id',
  };
  await operate(CREATE, { accountId, provider: 'http-sms', channel: 'SMS', name: 'Gateway', config });
}
