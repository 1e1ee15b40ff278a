import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/processes/free-ports.ts';
import { type Gateway, makeFolder, startGateway } from '../support/processes/gateway.ts';
import { REPOSITORY } from '../support/repository.ts';
import { type Block, blocksOf, type Page, readPages } from '../support/rules/docs.ts';
import { missing } from '../support/smpp/programs.ts';

/** The words of a page whose commands start the SMSC of `test/support/smpp`. */
const NEEDS_PERL = "Debian's `libnet-smpp-perl`";

/** The languages of what a command prints. */
const ANSWERS: ReadonlySet<string> = new Set(['json', 'text']);

/** A block of commands, and what the page says that it prints. */
interface Step {
  readonly commands: Block;
  readonly answers: readonly Block[];
  /** Whether the page shows a sample only: what these print is not compared. */
  readonly isSampled: boolean;
}

/** A running shell, and its output so far. Emits `printed` whenever there is more. */
type Shell = ChildProcess & { printed: string };

/** How long a terminal may take to show what the page says. */
const SHOWN_WITHIN_MS = 90_000;

let gateway: Gateway;
let port = 0;
let path = process.env.PATH;
let home = '';
const terminals = new Map<string, Shell>();

beforeAll(async () => {
  gateway = await startGateway({ env: { DOORS: 'twilio,infobip' } });
  port = await freePort();
  // A secret of samples is kept there, and not in the home of whoever runs the tests.
  home = await makeFolder();
  // Readers of a page have followed the README: there are entries in the log, whatever page comes first here.
  await sendFirst();
});

/** A path on which `npx heliograph` begins at once: npm takes four times as long as the command. The README and `npm.test.ts` go by npm. */
async function pathPastNpm(): Promise<string> {
  const folder = await makeFolder();
  const command = `'${process.execPath}' '${join(REPOSITORY, 'src/heliograph.js')}'`;
  const script = `#!/bin/sh\n[ "$1" = heliograph ] || exit 127\nshift\nexec ${command} "$@"\n`;
  await writeFile(join(folder, 'npx'), script, { mode: 0o755 });
  return `${folder}${delimiter}${process.env.PATH}`;
}

afterEach(async () => {
  for (const terminal of terminals.values()) {
    // The whole group, as Ctrl+C does: npm and what it runs.
    if (terminal.exitCode === null && terminal.pid) process.kill(-terminal.pid, 'SIGINT');
    if (terminal.exitCode === null && terminal.signalCode === null) await once(terminal, 'exit');
  }
  terminals.clear();
});

async function sendFirst(): Promise<void> {
  const response = await fetch(`${gateway.url}/api/omni/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.demo?.tokens.unified}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+12025550100', text: 'Your parcel arrives today.', sender: 'DEMO' }),
  });
  expect(response.status).toBe(200);
}

/** The commands of a page in order. An answer stands behind the commands that print it, whatever prose is between. */
function stepsOf(page: Page): Step[] {
  const steps: { commands: Block; answers: Block[]; isSampled: boolean }[] = [];
  for (const block of blocksOf(page)) {
    const step = steps.at(-1);
    if (block.language === 'sh') steps.push({ commands: block, answers: [], isSampled: false });
    else if (step && block.note === 'sample') step.isSampled ||= block.line === step.commands.lastLine + 2;
    else if (step && ANSWERS.has(block.language)) step.answers.push(block);
  }
  return steps;
}

/** Starts a shell in the folder of the project, with the settings and addresses of this gateway. */
function startShell(commands: string): Shell {
  const typed = commands
    .replaceAll('http://127.0.0.1:4000', gateway.url)
    .replaceAll('.data/', `${gateway.dataDir}/`)
    .replace(/\b3000\b/g, String(port));
  const child = spawn('sh', ['-eu', '-c', typed], {
    cwd: REPOSITORY,
    env: { PATH: path, HOME: home, DATA_DIR: gateway.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const shell = Object.assign(child, { printed: '' });
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      shell.printed += chunk;
      shell.emit('printed');
    });
  return shell;
}

/** Without what differs from run to run: ids, times, codes, tokens, milliseconds, and whether a delivery was reported already. */
function stripped(text: string): string {
  return (
    text
      .replaceAll(gateway.url, 'http://127.0.0.1:4000')
      .replaceAll(/\b([a-z]{3,4})_[0-9a-f]{32}\b/g, '$1_…')
      // Ids and times as doors write them.
      .replaceAll(/\b(AC|SM|VE)[0-9a-f]{32}\b/g, '$1…')
      .replaceAll(/"pinId": ?"[0-9A-F]{32}"/g, '"pinId": "…"')
      .replaceAll(/"\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000"/g, '"TIME"')
      .replaceAll(/\bhg_([a-z]{3})_[\w-]{8,}/g, 'hg_$1_…')
      .replaceAll(/whsec_[\w+/]+=*/g, 'whsec_…')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/("(?:\w+Ms|milliseconds)": ?)\d+/g, '$1 0')
      .replaceAll(/(\/receipts\/con_…\/)[\w-]+/g, '$1…')
      .replaceAll(/("nextCursor": ?)"[^"]+"/g, '$1"…"')
      // The sandbox reports the delivery a moment later.
      .replaceAll(/("status": ?)"(?:delivered|sent)"/gi, '$1"sent"')
      .replaceAll(/\d+ ms\b/g, 'N ms')
      .replaceAll(String(port), '3000')
      .replaceAll(/(?<!\d)\d{6}(?!\d)/g, 'CODE')
      .trim()
  );
}

/** The content of a block of the page, in a form to compare. */
function meant({ language, code }: Pick<Block, 'language' | 'code'>): unknown {
  return language === 'json' ? JSON.parse(stripped(code)) : stripped(code);
}

/** Runs the commands in a shell that has the variables of the steps before, and answers what they print. */
async function run({ code }: Block, variables: string): Promise<string> {
  const shell = startShell(`set -a\n. '${variables}'\n${code}\nexport -p > '${variables}'`);
  const [status] = await once(shell, 'close');
  if (status !== 0) throw new Error(`the commands ended with ${status}: ${shell.printed}`);
  return shell.printed;
}

/** Runs the commands in a terminal of their own, and goes on when they have printed what the page says. */
async function open({ code, note }: Block, answers: readonly Block[]): Promise<void> {
  const terminal = startShell(`exec 2>&1\n${code}`);
  terminals.set(note, terminal);
  for (const answer of answers) await showsIn(note, answer);
}

async function showsIn(name: string, answer: Block): Promise<void> {
  const terminal = terminals.get(name);
  if (!terminal) throw new Error(`there is no ${name}`);
  const text = String(meant({ language: 'text', code: answer.code }));
  const shown = (): string => stripped(terminal.printed);
  const signal = AbortSignal.timeout(SHOWN_WITHIN_MS);
  while (!shown().includes(text))
    await once(terminal, 'printed', { signal }).catch(() => {
      throw new Error(`${name} does not show "${text}", but "${shown()}"`);
    });
}

async function follow({ commands, answers, isSampled }: Step, variables: string): Promise<void> {
  if (commands.note !== '') return open(commands, answers);
  const printed = await run(commands, variables);
  const own = answers.filter(({ note }) => note === '');
  const [answer] = own;
  if (own.length > 1) throw new Error(`line ${commands.line}: two answers stand behind one block`);
  if (answer) expect(meant({ ...answer, code: printed }), `line ${commands.line}`).toEqual(meant(answer));
  else if (!isSampled) expect(printed, `line ${commands.line} prints what the page does not show`).toBe('');
  for (const other of answers) if (other.note !== '') await showsIn(other.note, other);
}

const withCommands = readPages().filter(page => stepsOf(page).length > 0);

test('the README and the pages of the APIs have commands', () => {
  const paths = ['README.md', 'docs/getting-started.md', 'docs/rest.md', 'docs/graphql.md', 'docs/otp.md'];
  expect(withCommands.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
});

describe.each(withCommands)('$path', page => {
  test.skipIf(page.text.includes(NEEDS_PERL) && missing(['libnet-smpp-perl']) !== null)(
    'its commands, typed one after another, print what it says',
    async () => {
      path = page.path === 'README.md' ? process.env.PATH : await pathPastNpm();
      const variables = join(await makeFolder(), 'variables');
      await writeFile(variables, '');
      for (const step of stepsOf(page)) await follow(step, variables);
    },
  );
});
