/** `user invite`, `user list`, `user take-factor` and `user remove`. */
import type { Command } from 'commander';
import { ROLES } from '../../kernel/role.ts';
import { addAccountCommand, addCommand } from '../command.ts';
import { OPERATIONS, type UserData } from '../operations/operations.generated.ts';
import { required } from '../options.ts';
import { columnsOf } from '../output.ts';
import { confirmed } from '../terminal/confirm.ts';
import { enumName } from '../values.ts';

const USERS = columnsOf<UserData>({
  USER: 'userId',
  ACCOUNT: 'accountId',
  EMAIL: 'email',
  NAME: 'name',
  ROLE: 'role',
  FACTOR: 'secondFactorSince',
  CREATED: 'createdAt',
});

const INVITE = {
  email: required('<address>', 'who is invited'),
  role: required('<role>', 'what the person may do', ROLES),
};

/** Adds the commands on people who sign in to the dashboard. */
export function addUserCommands(program: Command): void {
  const group = program.command('user').description('the people who sign in to the dashboard of an account');
  const invite = 'invite a person by a link; it is shown this once';
  addAccountCommand(group, 'invite', invite, INVITE, async ({ operator, out, accountId, options: { email, role } }) => {
    const input = { accountId, email, role: enumName(role) };
    const { invitation, link } = await operator.run(OPERATIONS.inviteUser, { input });
    // Scripts take the link from here, so that it is JSON in any case.
    out.show({ ...invitation, link }, value => JSON.stringify(value));
    out.say(`The link is shown this once: hand it to ${email}.`);
  });
  const list = 'list the people of an account or of all, oldest first';
  addCommand(group, 'list [accountId]', list, {}, async ({ operator, out }, accountId?: string) => {
    out.list(await operator.run(OPERATIONS.users, { accountId }), USERS, 'There is nobody yet.');
  });
  const take = 'take the second factor of a person away who has lost it; the sessions end';
  const taking = addCommand(group, 'take-factor <userId>', take, {}, async ({ operator, out }, userId: string) => {
    out.show(await operator.run(OPERATIONS.takeSecondFactorAway, { userId }), USERS.one);
  });
  confirmed(taking, {
    question: userId => `Take the second factor of ${userId} away, so that the password alone signs in`,
  });
  const remove = 'remove a person, whose sessions end';
  const removing = addCommand(group, 'remove <userId>', remove, {}, async ({ operator, out }, userId: string) => {
    out.show(await operator.run(OPERATIONS.removeUser, { userId }), USERS.one);
  });
  confirmed(removing, { question: userId => `Remove the person ${userId}, whose sessions end` });
}
