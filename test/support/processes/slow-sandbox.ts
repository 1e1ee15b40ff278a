/**
 * Preloaded into a gateway (`node --import`): its sandbox takes a while over every message, another one for each, before it has
 * it and after. Chats are refused, and SMS to recipients that end with a 7. The function is exchanged in the text of its module, which is
 * a source or a bundle, and `slow` is printed then.
 */
import { registerHooks } from 'node:module';

const SEND = 'async function sendToPhone(';

/** The function that takes its place. */
const SLOW_SEND = `
async function sendToPhone(request, signal, services) {
  const linger = () => new Promise(over => setTimeout(over, Math.random() * 150));
  await linger();
  if (request.channel !== 'sms' || request.to.endsWith('7'))
    return { kind: 'rejected', code: 'refused', message: 'Refused.' };
  const outcome = await sendAtOnce(request, signal, services);
  await linger();
  return outcome;
}
`;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const source = loaded.source instanceof Uint8Array ? Buffer.from(loaded.source).toString() : loaded.source;
    if (typeof source !== 'string' || !source.includes(SEND)) return loaded;
    process.stdout.write('slow\n');
    return { ...loaded, source: source.replace(SEND, 'async function sendAtOnce(') + SLOW_SEND };
  },
});
