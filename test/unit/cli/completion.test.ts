import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { treeOf } from '../../../src/cli/completion/command-tree.ts';
import { printCompletion } from '../../../src/cli/completion/scripts.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { WEBHOOK_EVENTS } from '../../../src/modules/webhooks/events/webhook-events.ts';

const tree = treeOf(createProgram());

/** Whether a shell is installed; says that its tests are left out where it is not. */
function isThere(shell: string): boolean {
  const found = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!found) process.stdout.write(`completion.test.ts: ${shell} is not installed, so its tests are left out.\n`);
  return found;
}

/** What bash proposes for the last of these words. */
function completeInBash(...words: string[]): string[] {
  const script = `${printCompletion('bash', tree)}
complete -p ${words[0]} >/dev/null || exit 3
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_heliograph
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...words], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter(line => line !== '');
}

/** What fish proposes for a command line. */
function completeInFish(line: string): string[] {
  const script = `${printCompletion('fish', tree)}\ncomplete -C '${line}'`;
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').flatMap(shown => shown.split('\t', 1).filter(word => word !== ''));
}

describe('bash', () => {
  it.each([
    [['heliograph', 'acc'], ['account']],
    [['npx', 'heliograph', 'acc'], ['account']],
    [['npx', 'hel'], ['heliograph']],
    [['npx', 'other', 'acc'], []],
    [['heliograph', 'sender', 'rule', 're'], ['remove']],
    [
      ['heliograph', 'send', '--ch'],
      ['--channels', '--chat-from'],
    ],
    [
      ['heliograph', 'send', '--mode', ''],
      ['fallback', 'all'],
    ],
    [['heliograph', 'send', '--to', 'se'], []],
    [['heliograph', 'send', '--to', 'account', '--mo'], ['--mode']],
    [['heliograph', 'trigger', 'otp.s'], ['otp.sent']],
    [['heliograph', 'trigger', ''], WEBHOOK_EVENTS],
    [
      ['heliograph', 'send', '--channels', 'chat'],
      ['chat_qr', 'chat_cloud'],
    ],
    [['heliograph', 'completion', ''], expect.arrayContaining(['bash', 'zsh', 'fish'])],
    [['heliograph', '--json', 'token', 'cr'], ['create']],
  ])('completes %j', (words, found) => {
    expect(completeInBash(...words)).toEqual(found);
  });

  it('completes every command and option of the help', () => {
    for (const { path, commands, options } of tree) {
      const words = ['heliograph', ...path.split(' ').filter(word => word !== '')];
      const wordsOf = (these: readonly { readonly word: string }[]) =>
        expect.arrayContaining(these.map(({ word }) => word));
      if (commands.length > 0) expect(completeInBash(...words, ''), path).toEqual(wordsOf(commands));
      expect(completeInBash(...words, '-'), path).toEqual(wordsOf(options));
    }
  });
});

describe.runIf(isThere('zsh'))('zsh', () => {
  it('reads its script', () => {
    const { status, stderr } = spawnSync('zsh', ['-n'], { input: printCompletion('zsh', tree), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe.runIf(isThere('fish'))('fish', () => {
  it.each([
    ['heliograph acc', ['account']],
    ['npx heliograph sender rule re', ['remove']],
    ['heliograph send --mode ', ['all', 'fallback']],
    ['heliograph send --channels s', ['sms']],
    ['heliograph token list /', []],
  ])('completes %s', (line, found) => {
    expect(completeInFish(line).sort()).toEqual(found);
  });
});

it('every script names every command', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    for (const { path } of tree) expect(printCompletion(shell, tree)).toContain(path);
});
