/**
 * An SMSC that accepts everything as fast as it can read: binds, submits, `enquire_link`, `unbind`. Shares no code with the gateway's SMPP.
 */
import { createServer } from 'node:net';

const HEAD_BYTES = 16;
const SUBMIT = 0x04;
const ANSWER = 0x80000000;

let submits = 0;

/** Answers a PDU: a submit with an id of eight digits, all else with an empty text, which no answer forbids. */
function answerTo(pdu: Buffer): Buffer {
  const body = pdu.readUInt32BE(4) === SUBMIT ? `${String(++submits).padStart(8, '0')}\0` : '\0';
  const answer = Buffer.alloc(HEAD_BYTES + body.length);
  answer.writeUInt32BE(answer.length, 0);
  answer.writeUInt32BE((pdu.readUInt32BE(4) | ANSWER) >>> 0, 4);
  pdu.copy(answer, 12, 12, HEAD_BYTES);
  answer.write(body, HEAD_BYTES, 'latin1');
  return answer;
}

const server = createServer({ noDelay: true }, socket => {
  let unread = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', bytes => {
    unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    const answers: Buffer[] = [];
    let at = 0;
    while (unread.length - at >= HEAD_BYTES && unread.length - at >= unread.readUInt32BE(at)) {
      const end = at + unread.readUInt32BE(at);
      answers.push(answerTo(unread.subarray(at, end)));
      at = end;
    }
    unread = unread.subarray(at);
    socket.write(Buffer.concat(answers));
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`smpp://127.0.0.1:${address.port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
