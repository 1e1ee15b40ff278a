import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../../src/cli/examples.ts';
import { examplesOf } from '../../../src/cli/help.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { shellWords } from '../../support/rules/shell-words.ts';

interface Found {
  readonly name: string;
  readonly command: Command;
}

/** Every command that does something, by its words; groups only lead to them. */
function leavesOf(command: Command, words: readonly string[] = []): Found[] {
  if (command.commands.length === 0) return [{ name: words.join(' '), command }];
  return command.commands.flatMap(one => leavesOf(one, [...words, one.name()]));
}

const leaves = leavesOf(createProgram());

it('every command has examples, and no example is for a command that is not there', () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(leaves.map(({ name }) => name).sort());
});

describe.each(leaves)('$name', ({ name, command }) => {
  it('ends its help with its examples', () => {
    let help = '';
    command.configureOutput({ writeOut: text => (help += text) }).outputHelp();
    expect(help).toContain('\nExamples:\n  npx heliograph ');
    for (const example of examplesOf(name.split(' '))) expect(help).toContain(example);
  });

  it('marks the options that it needs', () => {
    const needed = command.options.filter(({ mandatory }) => mandatory);
    expect(needed.filter(({ description }) => !description.endsWith('(required)')).map(({ long }) => long)).toEqual([]);
  });

  it.each(examplesOf(name.split(' ')))('takes %s', async example => {
    const program = createProgram();
    const run: { name: string; args: readonly string[] }[] = [];
    for (const leaf of leavesOf(program))
      leaf.command.action(() => {
        run.push({ name: leaf.name, args: leaf.command.args });
      });
    const [first, second, ...rest] = shellWords(example);
    expect([first, second]).toEqual(['npx', 'heliograph']);
    await program.parseAsync(rest, { from: 'user' });
    expect(run).toMatchObject([{ name }]);
  });

  it('takes --json and --wide', () => {
    expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(['--json', '--wide']));
  });
});

it('the help of the program tells the exit statuses', () => {
  let help = '';
  createProgram()
    .configureOutput({ writeOut: text => (help += text) })
    .outputHelp();
  expect(help.split('\n').filter(line => line.length > 80 && !line.includes('npx heliograph'))).toEqual([]);
  expect(help).toContain('npx heliograph send --to +12025550100 --text');
  expect(help).toMatch(/Exit status:\n {2}0 {2}done\n {2}1 {2}refused.*\n.*\n {2}2 {2}wrong usage/);
});

it('the help of a group fits a terminal of 80 columns, examples left out', () => {
  for (const group of createProgram().commands.filter(({ commands }) => commands.length > 0)) {
    const lines = group.createHelp().formatHelp(group, group.createHelp()).split('\n');
    expect(lines.filter(line => line.length > 80)).toEqual([]);
  }
});

it('the help of a group shows an example of each of its commands', () => {
  expect(examplesOf(['account'])).toEqual([
    'npx heliograph account create Bookshop',
    'npx heliograph account list',
    expect.stringContaining('npx heliograph account set acc_'),
  ]);
});
