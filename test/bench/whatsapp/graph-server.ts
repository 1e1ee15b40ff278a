/**
 * A Graph API that takes every message and does nothing else. The server reads no body, so as to cost as little as a server can. The HTTP
 * gateway that it is compared with is the same server. Any read is answered with a list of one template.
 */
import { createServer } from 'node:http';
import { HELLO_TEMPLATE } from '../../support/whatsapp/defaults.ts';

const listed = JSON.stringify({ data: [{ id: '1', ...HELLO_TEMPLATE }] });

let taken = 0;

/** The answer to a message, with an id of the length that Meta's have. */
function nextTaken(): string {
  const id = `wamid.HBgLMTIwMjYwMDAwMDAVAgARGBI${String(++taken).padStart(28, '0')}`;
  const contacts = [{ input: '12026000000', wa_id: '12026000000' }];
  return JSON.stringify({ messaging_product: 'whatsapp', contacts, messages: [{ id, message_status: 'accepted' }] });
}

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    const answer = request.method === 'GET' ? listed : nextTaken();
    response.setHeader('content-type', 'application/json; charset=UTF-8');
    response.setHeader('content-length', answer.length);
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
