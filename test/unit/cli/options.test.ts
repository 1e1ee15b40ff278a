import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { fieldOf, nameOfField, option, required } from '../../../src/cli/options.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { Refusal } from '../../../src/cli/refusal.ts';

const OPTIONS = {
  to: required('<number>', 'x'),
  cloudTemplate: option('<json>', 'x'),
  mode: fieldOf('deliveryMode', option('<mode>', 'x')),
};

function command(): Command {
  const made = new Command('x').argument('<accountId>');
  for (const [name, row] of Object.entries(OPTIONS)) made.addOption(row.make(name));
  return made;
}

describe('a field of the API is called', () => {
  it.each([
    ['to', '--to'],
    ['input.to', '--to'],
    ['filter.to', '--to'],
    ['deliveryMode', '--mode'],
    ['cloudTemplate', '--cloud-template'],
    ['cloudTemplate.components.0', '--cloud-template (components.0)'],
    ['accountId', '<accountId>'],
    ['mode', 'mode'],
    ['elsewhere.to', 'elsewhere.to'],
  ])('%s: %s', (field, name) => {
    expect(nameOfField(field, command())).toBe(name);
  });
});

it('a refusal names each of its fields anew, and nothing else of its message', () => {
  const faults = [
    { field: 'to', message: 'is required' },
    { field: 'text', message: 'must not be $& to: is required' },
  ];
  const message = faults.map(fault => `${fault.field}: ${fault.message}`).join('; ');
  expect(new Refusal('invalid_input', message, undefined, faults).renamed(field => `--${field}`).message).toBe(
    '--to: is required; --text: must not be $& to: is required',
  );
});

it('an option of a command is called by one name only', () => {
  const all = (one: Command): Command[] => [one, ...one.commands.flatMap(all)];
  for (const { options } of all(createProgram())) {
    const names = options.map(one => ('field' in one ? one.field : one.attributeName()));
    expect(new Set(names).size).toBe(names.length);
  }
});

it('a refusal names the fields in a list in brackets anew, and leaves other words alone', () => {
  const faults = [{ field: 'channels', message: 'name a channel (chatFrom, cloudTemplate or sender), of (these)' }];
  const nameOf = (field: string): string => (['channels', 'chatFrom', 'sender'].includes(field) ? `--${field}` : field);
  expect(
    new Refusal('invalid_input', `channels: ${faults[0]?.message}`, undefined, faults).renamed(nameOf).message,
  ).toBe('--channels: name a channel (--chatFrom, cloudTemplate or --sender), of (these)');
});
