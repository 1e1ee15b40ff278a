import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { treeOf } from '../../../src/cli/completion/command-tree.ts';
import { printCompletion, SHELLS } from '../../../src/cli/completion/scripts.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { WEBHOOK_EVENTS } from '../../../src/modules/webhooks/events/webhook-events.ts';

const tree = treeOf(createProgram());

/** The working directory of the shells, empty of files to propose. */
const folder = mkdtempSync(join(tmpdir(), 'heliograph-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

// The program that the shells ask for what is known by a running gateway alone, under its name and behind npx.
for (const [name, words] of [
  ['heliograph', 'template names'],
  ['npx', 'heliograph template names'],
] as const) {
  const answer = `[ "$*" = "${words}" ] && printf 'order_sent:de\\norder_sent:en_US\\nprices:en_US\\n'`;
  writeFileSync(join(folder, name), `#!/bin/sh\necho A notice >&2\n${answer}\n`);
  chmodSync(join(folder, name), 0o755);
}
const PATH = `${folder}:${process.env.PATH}`;

/** Whether a shell is installed; says that its tests are left out where it is not. */
function isThere(shell: string): boolean {
  const found = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!found) process.stdout.write(`completion.test.ts: ${shell} is not installed, so its tests are left out.\n`);
  return found;
}

/** The proposals of each shell for the last word of a command line. */
const PROPOSED: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['heliograph acc', ['account']],
  ['npx heliograph acc', ['account']],
  ['npx hel', ['heliograph']],
  ['npx other acc', []],
  ['heliograph sender rule re', ['remove']],
  ['heliograph send --ch', ['--channels', '--chat-from']],
  ['heliograph send --mode ', ['all', 'fallback']],
  ['heliograph send --to se', []],
  ['heliograph send --to account --mo', ['--mode']],
  ['heliograph send --channels chat', ['chat_cloud', 'chat_qr']],
  ['heliograph trigger otp.s', ['otp.sent']],
  ['heliograph trigger ', WEBHOOK_EVENTS.toSorted()],
  ['heliograph completion ', SHELLS.toSorted()],
  ['heliograph --json token cr', ['create']],
  ['heliograph send --cloud-template o', ['order_sent:de', 'order_sent:en_US']],
  ['npx heliograph otp send --cloud-template p', ['prices:en_US']],
  ['heliograph send --cloud-template order_sent:en', ['order_sent:en_US']],
  ['heliograph send --cloud-template order_sent:', ['order_sent:de', 'order_sent:en_US']],
  ['heliograph send --cloud-template prices:en_US --mo', ['--mode']],
];

function completeInBash(line: string): string[] {
  // As bash takes it apart, and what it puts in the place of the last of these words.
  const words = line.split(/ |(:)/).filter((word, index) => word !== undefined && (word !== '' || index % 2 === 0));
  const before = /[^ ]*:/.exec(line.split(' ').at(-1) ?? '')?.[0] ?? '';
  const script = `${printCompletion('bash', tree)}
complete -p ${words[0]} >/dev/null || exit 3
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_heliograph
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...words], {
    cwd: folder,
    env: { PATH },
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const proposed = stdout.split('\n').filter(word => word !== '');
  return proposed.map(word => before + word);
}

/** zsh completes in its line editor alone, so a shell with a terminal of its own writes down what it would show. */
function completeInZsh(line: string): string[] {
  const shown = join(folder, 'shown');
  const setUp = `autoload -Uz compinit; compinit -D -u
${printCompletion('zsh', tree)}
compadd() { local -a shown; builtin compadd -O shown "$@"; print -rl -- $shown >>$SHOWN; builtin compadd "$@" }
propose() { BUFFER=$LINE; CURSOR=$#BUFFER; : >$SHOWN; zle list-choices; exit }
zle -N propose; bindkey '^X' propose`;
  const script = `zmodload zsh/zpty && zpty shell zsh -f -i
zpty -w shell 'eval $SET_UP'; zpty -w -n shell $'\\x18'
while zpty -r shell; do :; done`;
  const { status } = spawnSync('zsh', ['-f', '-c', script], {
    cwd: folder,
    env: { PATH, TERM: 'dumb', SET_UP: setUp, LINE: line, SHOWN: shown },
    timeout: 60_000,
  });
  expect(status).toBe(0);
  const words = readFileSync(shown, 'utf8').split('\n');
  rmSync(shown);
  return words.filter(word => word !== '');
}

function completeInFish(line: string): string[] {
  const script = `${printCompletion('fish', tree)}\ncomplete -C '${line}'`;
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
    cwd: folder,
    env: { PATH },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').flatMap(shown => shown.split('\t', 1).filter(word => word !== ''));
}

for (const [shell, complete] of [
  ['bash', completeInBash],
  ['zsh', completeInZsh],
  ['fish', completeInFish],
] as const)
  describe.runIf(isThere(shell))(shell, () => {
    it.each(PROPOSED)('completes %j', (line, words) => {
      expect(complete(line).sort()).toEqual(words);
    });
  });

it('bash completes every command and option of the help', () => {
  for (const { path, commands, options } of tree) {
    const line = ['heliograph', path].filter(word => word !== '').join(' ');
    const wordsOf = (these: readonly { readonly word: string }[]) =>
      expect.arrayContaining(these.map(({ word }) => word));
    if (commands.length > 0) expect(completeInBash(`${line} `), path).toEqual(wordsOf(commands));
    expect(completeInBash(`${line} -`), path).toEqual(wordsOf(options));
  }
});

it('every script names every command', () => {
  for (const shell of SHELLS) for (const { path } of tree) expect(printCompletion(shell, tree)).toContain(path);
});
