/** `mcp`. */
import type { Command } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { readConfig } from '../../config.ts';
import { ACCOUNT_OPTION, type Asker, addBareCommand, chooseAccount } from '../command.ts';
import { askAs, connectToGateway } from '../gateway/connect.ts';
import type { Operator } from '../gateway/operator.ts';
import { PROGRAM } from '../help.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';
import { flag } from '../options.ts';
import { Refusal } from '../refusal.ts';

const SDK = '@modelcontextprotocol/server';

const MCP = {
  account: ACCOUNT_OPTION,
  write: flag('let the assistant send messages too, each after a dry run'),
};

/** Adds the command that assistants start. */
export function addMcpCommand(program: Command): void {
  const description = 'serve the log, figures and dry runs to an assistant, by the Model Context Protocol';
  addBareCommand(program, 'mcp', description, MCP).action(async (_options: object, command: Command) => {
    const { profile, account, write } = command.optsWithGlobals<{ profile?: string; account?: string; write?: true }>();
    const operator = profile === undefined ? await connectToGateway(readConfig()) : askAs(profile);
    if (!operator) throw new Refusal(null, `No gateway runs here. Start one: ${PROGRAM} start`);
    const { opener, ...asker } = await whoAsks(operator, account);
    const [{ READING, previewTool }, { sendingTools }, { serveTools }] = await loadTools();
    const sending = write ? sendingTools() : [previewTool()];
    const tools = [...READING, ...sending].filter(({ openers }) => openers.includes(opener));
    if (write && !tools.some(({ isSending }) => isSending))
      throw new Refusal('wrong_area', `A token of the area ${opener} sends no messages: leave out --write.`);
    await serveTools(tools, asker);
  });
}

/** An operator asks for the account that was named or chosen, and a token for its own. */
async function whoAsks(operator: Operator, named: string | undefined) {
  const caller = await operator.run(OPERATIONS.caller, {});
  if (caller === null) throw new Refusal('unauthenticated', 'The gateway does not know this token any more.');
  const { area } = caller;
  if (area !== null && named !== undefined)
    throw new Refusal('invalid_input', 'The token of this profile has its own account: leave out --account.');
  const accountId = area === null ? await chooseAccount(operator, named) : undefined;
  return { operator, accountId, opener: area ?? 'operator' } as const satisfies Asker & { opener: unknown };
}

/** The tools, with the SDK that serves them. @throws Refusal where that is not installed */
function loadTools() {
  const load = Promise.all([import('../mcp/tools.ts'), import('../mcp/send-tool.ts'), import('../mcp/serve.ts')]);
  return load.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const wanted = `${SDK}@${packageJson.devDependencies[SDK]}`;
    throw new Refusal(null, `The SDK of MCP is not installed here. Run: npm install --no-save ${wanted}`, error);
  });
}
