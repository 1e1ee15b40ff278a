/** `key forget`. */
import type { Command } from 'commander';
import { addCommand } from '../command.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';
import { confirmed } from '../terminal/confirm.ts';

/** Adds the command for a secret key that is lost. */
export function addKeyCommands(program: Command): void {
  const group = program.command('key').description('the secret key');
  const forget = addCommand(
    group,
    'forget <keyId>',
    'give up what was made with a secret key that is lost for good; the refused start tells its id',
    {},
    async ({ operator, out }, keyId: string) => {
      const forgotten = await operator.run(OPERATIONS.forgetSecretKey, { keyId });
      out.show(forgotten, () => '');
      out.say(
        `The key ${keyId} is forgotten: ${forgotten.passcodes} live passcodes were cancelled, ${forgotten.endpoints} webhook endpoints need a new secret, ${forgotten.connections} connections a new config, ${forgotten.factors} people another second factor, and ${forgotten.stops} erased recipients may get messages again.`,
      );
    },
    { anyKey: true },
  );
  confirmed(forget, { question: keyId => `Give up for good what was made with the key ${keyId}` });
}
