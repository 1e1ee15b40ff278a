/** Changes the words that stop and start, and what answers them. */
import { Switch, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { UpdateOptOutSettingsDocument } from '../../api/operations.generated.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import type { StopSettings } from './stop-words.tsx';

/** The dialog. */
export function StopWordsForm({
  settings,
  close,
}: {
  readonly settings: StopSettings;
  readonly close: () => void;
}): ReactNode {
  const update = useChange(UpdateOptOutSettingsDocument);
  return (
    <FormDialog
      title="Change words and texts"
      button="Save words and texts"
      failure={update.error}
      fields={['stopWords', 'startWords', 'stopText', 'helpText']}
      isBusy={update.isPending}
      close={close}
      submit={fields => {
        const input = {
          stopWords: wordsOf(fields.stopWords),
          startWords: wordsOf(fields.startWords),
          stopText: fields.stopText?.trim() || null,
          helpText: fields.helpText?.trim() || null,
          stopsOtps: fields.stopsOtps !== undefined,
        };
        update.mutate({ input }, { onSuccess: close });
      }}
    >
      <TextInput
        name="stopWords"
        label="Your words that stop"
        description="In addition to STOP and the like, which always work; separated by commas"
        placeholder="BASTA, HALT"
        defaultValue={settings.stopWords.join(', ')}
        autoComplete="off"
        error={faultAt(update.error, 'stopWords', ordinal)}
        data-autofocus
      />
      <TextInput
        name="startWords"
        label="Your words that start again"
        description="In addition to START, UNSTOP and YES; separated by commas"
        defaultValue={settings.startWords.join(', ')}
        autoComplete="off"
        error={faultAt(update.error, 'startWords', ordinal)}
      />
      <Textarea
        name="stopText"
        label="Confirms a stop"
        description="Empty: a stop is not confirmed"
        defaultValue={settings.stopText ?? ''}
        autosize
        minRows={2}
        error={faultAt(update.error, 'stopText')}
      />
      <Textarea
        name="helpText"
        label="Answers HELP and INFO"
        description="Empty: they get no answer"
        defaultValue={settings.helpText ?? ''}
        autosize
        minRows={2}
        error={faultAt(update.error, 'helpText')}
      />
      <Switch name="stopsOtps" label="A stop holds for passcodes too" defaultChecked={settings.stopsOtps} />
    </FormDialog>
  );
}

function wordsOf(list = ''): string[] {
  return list.split(',').flatMap(word => word.trim() || []);
}

function ordinal(index: string): string {
  return `Word ${Number(index) + 1}`;
}
