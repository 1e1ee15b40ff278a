/** `token create`, `token list` and `token revoke`. */
import { type Command, Option } from 'commander';
import { AREAS, type Area } from '../../kernel/crypto/secrets.ts';
import { addCommand, inSession } from '../gateway/session.ts';
import { OPERATIONS, type TokenData } from '../operations/operations.generated.ts';
import { orDash, table } from '../output.ts';
import { enumName, readTime } from '../values.ts';

interface CreateOptions {
  readonly area: Area;
  readonly expires?: string;
}

/** Adds the commands on tokens. */
export function addTokenCommands(program: Command): void {
  const group = program.command('token').description('what opens an area of an account');
  addCommand(group, 'create <accountId>', 'create a token; it is shown this once')
    .addOption(new Option('--area <area>', 'what it opens').choices(AREAS).makeOptionMandatory())
    .option(
      '--expires <time>',
      'when it stops to open anything, an ISO 8601 time; never where it is not given',
      readTime,
    )
    .action((accountId: string, { area, expires }: CreateOptions, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        const input = { accountId, area: enumName(area), expiresAt: expires };
        const { token, secret } = await operator.run(OPERATIONS.createToken, { input });
        const made = { tokenId: token.tokenId, token: secret, area: token.area };
        // Scripts take the token from here, so that it is JSON in any case.
        out.show(expires === undefined ? made : { ...made, expiresAt: token.expiresAt }, shown =>
          JSON.stringify(shown),
        );
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
    ['TOKEN', 'ACCOUNT', 'AREA', 'BEGINS', 'CREATED', 'LAST USED', 'EXPIRES', 'REVOKED'],
    rows.map(row => [
      row.tokenId,
      row.accountId,
      row.area,
      row.prefix,
      row.createdAt,
      row.lastUsedAt ?? 'never',
      row.expiresAt ?? 'never',
      orDash(row.revokedAt),
    ]),
  );
}
