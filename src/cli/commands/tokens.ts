/** `token create`, `token list`, `token rename` and `token revoke`. */
import type { Command } from 'commander';
import { AREAS } from '../../kernel/crypto/secrets.ts';
import { addCommand } from '../command.ts';
import { OPERATIONS, type TokenData } from '../operations/operations.generated.ts';
import { fieldOf, option, required } from '../options.ts';
import { columnsOf } from '../output.ts';
import { confirmed } from '../terminal/confirm.ts';
import { enumName, readTime } from '../values.ts';

const TOKENS = columnsOf<TokenData>({
  TOKEN: 'tokenId',
  ACCOUNT: 'accountId',
  AREA: 'area',
  NAME: 'name',
  BEGINS: 'prefix',
  CREATED: 'createdAt',
  BY: row => row.makerEmail ?? row.madeBy?.replace('_', ' '),
  'LAST USED': row => row.lastUsedAt ?? 'never',
  FROM: 'lastUsedFrom',
  EXPIRES: row => row.expiresAt ?? 'never',
  REVOKED: 'revokedAt',
});

const CREATE = {
  name: option('<name>', 'what people call it, such as the program that uses it'),
  area: required('<area>', 'what it opens', AREAS),
  expires: fieldOf(
    'expiresAt',
    option('<time>', 'when it stops to open anything, an ISO 8601 time; never where it is not given', readTime),
  ),
};

/** Adds the commands on tokens. */
export function addTokenCommands(program: Command): void {
  const group = program.command('token').description('what opens an area of an account');
  const create = 'create a token; it is shown this once';
  addCommand(group, 'create <accountId>', create, CREATE, async ({ operator, out, options }, accountId: string) => {
    const { area, name, expires } = options;
    const input = { accountId, area: enumName(area), name, expiresAt: expires };
    const { token, secret } = await operator.run(OPERATIONS.createToken, { input });
    const made = { tokenId: token.tokenId, token: secret, area: token.area };
    const shown = expires === undefined ? made : { ...made, expiresAt: token.expiresAt };
    // Scripts take the token from here, so that it is JSON in any case.
    out.show(shown, value => JSON.stringify(value));
  });
  const list = 'list tokens, of an account or of all, oldest first';
  addCommand(group, 'list [accountId]', list, {}, async ({ operator, out }, accountId?: string) => {
    out.list(await operator.run(OPERATIONS.tokens, { accountId }), TOKENS, 'There is no token yet.');
  });
  const rename = 'give a token another name; an empty one takes it away';
  addCommand(group, 'rename <tokenId> <name>', rename, {}, async (session, tokenId: string, name: string) => {
    const input = { tokenId, name: name.trim() === '' ? null : name };
    session.out.show(await session.operator.run(OPERATIONS.updateToken, { input }), TOKENS.one);
  });
  const revoke = addCommand(
    group,
    'revoke <tokenId>',
    'revoke a token',
    {},
    async ({ operator, out }, tokenId: string) => {
      out.show(await operator.run(OPERATIONS.revokeToken, { tokenId }), TOKENS.one);
      out.say(`The token ${tokenId} is revoked: it opens nothing any more.`);
    },
  );
  confirmed(revoke, { question: tokenId => `Revoke the token ${tokenId} for good`, goesOnInScripts: true });
}
