/** `token create`, `token list` and `token revoke`. */
import { type Command, Option } from 'commander';
import { AREAS } from '../../kernel/secrets.ts';
import { OPERATIONS, type TokenData } from '../operations.ts';
import { orDash, table } from '../output.ts';
import { addCommand, inSession } from '../session.ts';
import { enumName } from '../values.ts';

/** Adds the commands on tokens. */
export function addTokenCommands(program: Command): void {
  const group = program.command('token').description('what opens an area of an account');
  addCommand(group, 'create <accountId>', 'create a token; it is shown this once')
    .addOption(new Option('--area <area>', 'what it opens').choices(AREAS).makeOptionMandatory())
    .action((accountId: string, { area }: { readonly area: string }, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        const input = { accountId, area: enumName(area) };
        const { token, secret } = await operator.run(OPERATIONS.createToken, { input });
        // Scripts take the token from here, so that it is JSON in any case.
        out.show({ tokenId: token.tokenId, token: secret, area: token.area }, made => JSON.stringify(made));
      }),
    );
  addCommand(group, 'list [accountId]', 'list tokens, of an account or of all, oldest first').action(
    (accountId: string | undefined, _options: object, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        const found = await operator.run(OPERATIONS.tokens, { accountId });
        out.show(found, tokens);
        if (found.length === 0) out.say('There is no token yet.');
      }),
  );
  addCommand(group, 'revoke <tokenId>', 'revoke a token').action(
    (tokenId: string, _options: object, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        out.show(await operator.run(OPERATIONS.revokeToken, { tokenId }), token => tokens([token]));
      }),
  );
}

function tokens(rows: readonly TokenData[]): string {
  return table(
    ['TOKEN', 'ACCOUNT', 'AREA', 'BEGINS', 'CREATED', 'REVOKED'],
    rows.map(row => [row.tokenId, row.accountId, row.area, row.prefix, row.createdAt, orDash(row.revokedAt)]),
  );
}
