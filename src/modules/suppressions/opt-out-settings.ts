/** The verbs on the settings of stop and start (contract §15). */
import { z } from 'zod';
import { type Ctx, managedAccount, requireAccount } from '../../context.ts';
import { isStorableText, textInput, UNSTORABLE } from '../../kernel/storable.ts';
import type { OptOutSettings } from '../accounts/account.entity.ts';
import { changeAccount, getAccount } from '../accounts/manage-accounts.ts';
import { requireAreas } from '../accounts/read-scope.ts';
import { changes } from '../audit/record-audit.ts';
import { WORD_MAX, wordOf } from './stop-words.policy.ts';

/** The most words of an account, of each kind. */
const WORDS_MAX = 50;

/** The longest answer, in characters: four segments of an SMS. */
const ANSWER_MAX = 612;

/** A word of people, as an input. */
export const wordInput = z
  .string()
  .refine(text => wordOf(text) !== null, `must be a word of 1 to ${WORD_MAX} characters, with a letter or a digit`)
  .refine(isStorableText, UNSTORABLE);

const wordsInput = (what: string) =>
  z
    .array(wordInput)
    .max(WORDS_MAX, `must have at most ${WORDS_MAX} words`)
    .nullish()
    .meta({ description: `Words that ${what}, beside those of everybody; absent: as before` });

/** A text that answers a word of people, as an input. */
export const answerTextInput = textInput(ANSWER_MAX);

const answerInput = (what: string) =>
  answerTextInput.nullish().meta({ description: `The text that ${what}; null: none does; absent: as before` });

/** The input of `updateOptOutSettings`. */
export const optOutSettingsInput = z
  .strictObject({
    stopWords: wordsInput('stop'),
    startWords: wordsInput('start again what a word stopped'),
    stopText: answerInput('confirms a stop'),
    helpText: answerInput('answers HELP and INFO'),
    stopsOtps: z.boolean().nullish().meta({
      description: 'Whether passcodes are not sent to those who stopped either; absent: as before',
    }),
  })
  .meta({ id: 'OptOutSettingsInput', description: 'What changes. Whatever is absent stays as it is' });

const DEFAULTS: OptOutSettings = { stopWords: [], startWords: [], stopsOtps: false, stopText: null, helpText: null };

/** The settings of a row, whole. */
export function readOptOutSettings(stored: Partial<OptOutSettings> | null | undefined): OptOutSettings {
  return { ...DEFAULTS, ...stored };
}

/** The settings of the caller's account. @throws AppError as `requireAreas` */
export async function findOptOutSettings(ctx: Ctx): Promise<OptOutSettings> {
  const { id } = requireAreas(ctx, 'unified', 'management');
  return readOptOutSettings((await getAccount(ctx.em, id)).optOutSettings);
}

/** Changes the settings, for what comes in from now on. @throws AppError `invalid_input`; and as `managedAccount` */
export async function updateOptOutSettings(
  ctx: Ctx,
  input: z.infer<typeof optOutSettingsInput>,
): Promise<OptOutSettings> {
  const accountId = managedAccount(ctx) ?? requireAccount(ctx).account.id;
  const { optOutSettings } = await changeAccount(ctx, accountId, 'opt_out_settings.updated', account => {
    const before = readOptOutSettings(account.optOutSettings);
    const after: OptOutSettings = {
      stopWords: wordsOf(input.stopWords) ?? before.stopWords,
      startWords: wordsOf(input.startWords) ?? before.startWords,
      stopsOtps: input.stopsOtps ?? before.stopsOtps,
      stopText: input.stopText === undefined ? before.stopText : input.stopText,
      helpText: input.helpText === undefined ? before.helpText : input.helpText,
    };
    const details = changes({ ...before }, { ...after });
    if (details !== null) account.optOutSettings = after;
    return details;
  });
  return readOptOutSettings(optOutSettings);
}

function wordsOf(words: readonly string[] | null | undefined): readonly string[] | null {
  return words ? [...new Set(words.flatMap(text => wordOf(text) ?? []))] : null;
}
