/** `inbox list`, which `inbox` alone does too, `inbox wait` and `inbox reply`. */
import type { Command } from 'commander';
import { addAccountCommand } from '../command.ts';
import { OPERATIONS, type SandboxMessageData, type SandboxPhoneData } from '../operations/operations.generated.ts';
import { flag, option, required } from '../options.ts';
import { columnsOf } from '../output.ts';
import { Refusal } from '../refusal.ts';
import { readWhole } from '../values.ts';

const MESSAGES = columnsOf<SandboxMessageData>({
  TIME: 'createdAt',
  CHANNEL: 'channel',
  FROM: 'from',
  TEXT: 'text',
});

const PHONES = columnsOf<SandboxPhoneData>({
  PHONE: row => `+${row.number}`,
  TEXTS: 'count',
  NEWEST: row => row.last.createdAt,
  TEXT: row => row.last.text,
});

const TO = required('<number>', 'the phone, with country code');

const LIST = {
  to: option('<number>', 'the phone, with country code; without it, every phone with its newest text'),
  limit: option('<n>', 'how many texts, 1 to 1000; 50 where it is not given', readWhole(1, 1_000)),
};

const WAIT = {
  to: TO,
  timeout: option('<s>', 'how many seconds, 1 to 3600; 30 where it is not given', readWhole(1, 3_600)),
  code: flag('print the code of a passcode that can still be verified, alone'),
};

const REPLY = {
  from: required('<phone>', 'the phone that writes, with country code'),
  to: required('<sender>', 'the sender that it writes to, a name or a number'),
  text: required('<text>', 'what it writes'),
};

/** How long one request waits, in seconds; it is repeated until the time is over. */
const REQUEST_SECONDS = 30;

/** Adds the commands that read the sandbox's phones, and write from them. */
export function addInboxCommands(program: Command): void {
  const group = program.command('inbox').description('what the phones of the sandbox received');
  const list = 'list the phones, or the texts on one, newest first';
  addAccountCommand(
    group,
    'list',
    list,
    LIST,
    async ({ operator, out, accountId, options: { to, limit } }) => {
      if (to === undefined) {
        const phones = await operator.run(OPERATIONS.sandboxPhones, {}, accountId);
        return out.list(phones, PHONES, 'Nothing has come to any phone of the sandbox.');
      }
      const messages = await operator.run(OPERATIONS.sandboxMessages, { to, first: limit }, accountId);
      out.list(messages, MESSAGES, 'Nothing has come to this phone.');
    },
    { isDefault: true },
  );
  const wait = 'wait for the next text to a phone and print it; one that came within the last 10 s is the next one too';
  addAccountCommand(group, 'wait', wait, WAIT, async ({ operator, out, accountId, options }) => {
    const { to, timeout = 30, code } = options;
    for (let left = timeout; left > 0; left -= REQUEST_SECONDS) {
      const input = { to, timeoutSeconds: Math.min(left, REQUEST_SECONDS) };
      const [text, otp] = code
        ? [null, await operator.run(OPERATIONS.sandboxWaitForCode, input, accountId)]
        : [await operator.run(OPERATIONS.sandboxWaitForText, input, accountId), null];
      if (text) return out.show(text, (message, screen) => screen.plain(message.text));
      if (otp) return out.show(otp, found => found.code);
    }
    throw new Refusal(null, `No ${code ? 'code' : 'text'} came to ${to} within ${timeout} s.`);
  });
  const reply = 'write from a phone to a sender of the account, as people do';
  addAccountCommand(group, 'reply', reply, REPLY, async ({ operator, out, accountId, options: { from, to, text } }) => {
    const input = { phone: from, to, text };
    const message = await operator.run(OPERATIONS.sandboxReply, { input }, accountId);
    out.show(message, ({ messageId }) => messageId);
  });
}
