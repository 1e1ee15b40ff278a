/** A server that does nothing but HTTP: it reads a request and answers a constant of the size of a send's answer. */
import { createServer } from 'node:http';

const answer = JSON.stringify({ success: true, message: 'The message was sent.', data: 'x'.repeat(560) });

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('content-length', answer.length);
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
