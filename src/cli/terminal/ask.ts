/** Asks on a terminal for what a command was not given. Questions go to standard error: standard output is for data. */
import { Refusal } from '../refusal.ts';

/** A choice: its value, and what is shown of it. */
export interface Choice<Value> {
  readonly value: Value;
  readonly name: string;
}

/** Asks a person. Each question ends in an answer, or in a refusal where the person breaks it off. */
export interface Asker {
  /** A line of text. `check` says what is wrong with it, or true. */
  text(
    question: string,
    options?: { readonly preset?: string; check?(answer: string): true | string },
  ): Promise<string>;
  /** A text that is not shown as it is typed. */
  secret(question: string): Promise<string>;
  choose<Value>(question: string, choices: readonly Choice<Value>[]): Promise<Value>;
}

/** Whether somebody sits there who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

const SOME = (answer: string): true | string => answer.trim() !== '' || 'Type something.';

/** The person at this terminal. */
export async function terminalAsker(): Promise<Asker> {
  const { input, password, select } = await import('@inquirer/prompts');
  const context = { output: process.stderr };
  return {
    text: (message, { preset, check = SOME } = {}) =>
      orRefusal(input({ message, validate: check, ...(preset !== undefined && { default: preset }) }, context)),
    secret: message => orRefusal(password({ message, mask: '*', validate: SOME }, context)),
    choose: (message, choices) => orRefusal(select({ message, choices: [...choices] }, context)),
  };
}

/** Ctrl-C and Ctrl-D are a no. @throws Refusal */
async function orRefusal<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof Error && error.name === 'ExitPromptError'
      ? new Refusal(null, 'Nothing was changed.', error)
      : error;
  }
}
