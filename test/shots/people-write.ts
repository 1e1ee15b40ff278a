/** The texts of people to the demo account, its answers, and the notes about them. */
import type { Demo } from '../support/processes/gateway.ts';
import { asker } from './fill-demo.ts';

/** The texts with their phones, the oldest first; `cloud`: to the cloud number, by chat. */
const WRITTEN: readonly (readonly [phone: string, text: string, to: 'DEMO' | 'cloud'])[] = [
  ['+12025550175', 'Where is my parcel?', 'DEMO'],
  ['+447700900912', 'Can you come an hour later, please?', 'DEMO'],
  ['+12025550174', 'Too many texts.', 'DEMO'],
  ['+12025550174', 'STOP', 'DEMO'],
  ['+12025550171', 'Hello! Is the table on Friday still ours?', 'DEMO'],
  [
    '+12025550172',
    'The invoice has the wrong address. It should be 12 Harbour Road, second floor, as it was last year.',
    'DEMO',
  ],
  ['+12025550173', 'Does the shop open on Sunday?', 'cloud'],
  ['+33639980112', 'Merci beaucoup, à demain.', 'DEMO'],
];

const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }';

/** Makes them write. */
export async function peopleWrite(demo: Demo): Promise<void> {
  const ask = asker(demo);
  const run = (query: string, input: object) => ask('unified', '/graphql', { query, variables: { input } });
  const { data } = await ask('unified', '/graphql', { query: '{ senders { name channel } }' });
  const senders = data?.senders as unknown as readonly { name: string; channel: string }[];
  const cloud = senders.find(({ channel }) => channel === 'CHAT_CLOUD')?.name ?? '';
  await run(SEND, { to: '+12025550171', text: 'Table for four, Friday at eight. Reply to change it.', sender: 'DEMO' });
  await ask('unified', '/api/omni/otp/send', { to: '+12025550171', sender: 'DEMO' });
  for (const [phone, text, to] of WRITTEN)
    await run('mutation ($input: SandboxReplyInput!) { sandboxReply(input: $input) { id } }', {
      phone,
      text,
      to: to === 'cloud' ? `+${cloud}` : to,
    });
  await run(SEND, { to: '+12025550171', text: 'It is. Do you need a chair for a child?', sender: 'DEMO' });
  await run('mutation ($input: SandboxReplyInput!) { sandboxReply(input: $input) { id } }', {
    phone: '+12025550171',
    text: 'One, yes. And the window would be lovely, if nobody has it yet.',
    to: 'DEMO',
  });
  await run('mutation ($input: AddNoteInput!) { addNote(input: $input) { id } }', {
    to: '+12025550171',
    text: 'Asked for the window last time too.',
  });
}
