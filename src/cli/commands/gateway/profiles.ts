/** `login`, `profile list` and `profile remove`: gateways elsewhere. */
import { text as readAll } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import { addBareCommand, outputOf } from '../../command.ts';
import { overHttp } from '../../gateway/over-http.ts';
import { keepProfile, profileOf, readProfiles } from '../../gateway/profiles.ts';
import { PROGRAM } from '../../help.ts';
import { OPERATIONS } from '../../operations/operations.generated.ts';
import { columnsOf } from '../../output.ts';
import { Refusal } from '../../refusal.ts';
import { canAsk, terminalAsker } from '../../terminal/ask.ts';

/** The profile that is kept where none is named. */
const PRESET = 'default';

const PROFILES = columnsOf<{ name: string; url: string }>({ PROFILE: 'name', GATEWAY: 'url' });

/** Adds the commands that sign in to gateways elsewhere. */
export function addProfileCommands(program: Command): void {
  const login = `sign in to a gateway elsewhere, which --profile asks from then on ("${PRESET}" where it is not given)`;
  addBareCommand(program, 'login', login, {})
    .argument('<url>', 'its address, like https://gateway.example.com', readOrigin)
    .action(async (url: string, _options: object, command: Command) => {
      const { profile = PRESET } = command.optsWithGlobals<{ readonly profile?: string }>();
      const signIn = profile === PRESET ? `login ${url}` : `login ${url} --profile ${profile}`;
      const token = await readToken(url);
      const caller = await overHttp({ url, signIn }, token).run(OPERATIONS.caller, {});
      if (caller === null)
        throw new Refusal('unauthenticated', `The gateway at ${url} does not know this token.`, undefined, [], signIn);
      const area = caller.area ?? undefined;
      keepProfile(profile, { url, token, area });
      const out = outputOf(command);
      out.show({ profile, url }, () => `${profile} is ${url}`);
      if (area === undefined) out.say(`Run: ${PROGRAM} status --profile ${profile}`);
      else
        out.say(
          `This is a token of an account (${area}). "mcp --profile ${profile}" asks by it, and nothing else does.`,
        );
    });
  const group = program.command('profile').description('the gateways elsewhere that are signed in to');
  addBareCommand(group, 'list', 'list them', {}).action((_options: object, command: Command) => {
    const rows = Object.entries(readProfiles()).map(([name, { url }]) => ({ name, url }));
    outputOf(command).list(rows, PROFILES, `There is none yet. Run: ${PROGRAM} login <url> --profile <name>`);
  });
  addBareCommand(group, 'remove <name>', 'forget one, with its token', {}).action(
    (name: string, _options: object, command: Command) => {
      const { url } = profileOf(name);
      keepProfile(name, null);
      outputOf(command).show({ name, url }, () => `${name} is forgotten`);
    },
  );
}

/** Asked for on a terminal, else read from standard input: an argument would stand in the list of processes. */
async function readToken(url: string): Promise<string> {
  if (canAsk())
    return (
      await (await terminalAsker()).secret(`The token of the operator, or of an account for mcp, at ${url}`)
    ).trim();
  const token = (await readAll(process.stdin)).trim();
  if (token === '') throw new Refusal(null, 'Type the token, or hand it over on standard input.');
  return token;
}

/** The token goes there with each command, so nobody on the way may read it. */
function readOrigin(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isNear = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isNear)))
    throw new InvalidArgumentError('Give an address that begins with https:// (http:// on this machine alone).');
  return url.origin;
}
