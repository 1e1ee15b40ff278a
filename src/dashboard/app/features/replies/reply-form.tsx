/** Adds an auto-reply, or changes one. */
import { Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type AutoReplyFragment, SetAutoReplyDocument } from '../../api/operations.generated.ts';
import { TemplateInputs, type TemplateKey } from '../../frame/template/template-inputs.tsx';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';

/** The dialog. `reply` null: a new one. */
export function ReplyForm({
  reply,
  close,
}: {
  readonly reply: AutoReplyFragment | null;
  readonly close: () => void;
}): ReactNode {
  const set = useChange(SetAutoReplyDocument);
  const { name = '', language = '' } = reply?.cloudTemplate ?? {};
  const [template, setTemplate] = useState<TemplateKey>({ name, language });
  return (
    <FormDialog
      title={reply ? `Answer to ${reply.keyword}` : 'Add auto-reply'}
      button={reply ? 'Save answer' : 'Add auto-reply'}
      failure={set.error}
      fields={['keyword', 'text', 'cloudTemplate']}
      isBusy={set.isPending}
      close={close}
      submit={({ keyword = '', text = '' }) =>
        set.mutate({ input: { keyword, text, cloudTemplate: templateOf(template, reply) } }, { onSuccess: close })
      }
    >
      <TextInput
        name="keyword"
        label="Keyword"
        description="A text that is exactly this is answered, in any case and between blanks and punctuation"
        placeholder="HOURS"
        defaultValue={reply?.keyword ?? ''}
        readOnly={reply !== null}
        required
        autoComplete="off"
        error={faultAt(set.error, 'keyword')}
        data-autofocus={reply === null || undefined}
      />
      <Textarea
        name="text"
        label="Answer"
        description="To each person once an hour; it costs what a text costs"
        placeholder="We are open from 9 to 18."
        defaultValue={reply?.text ?? ''}
        required
        autosize
        minRows={2}
        error={faultAt(set.error, 'text')}
        data-autofocus={reply !== null || undefined}
      />
      <TemplateInputs
        value={template}
        change={parts => setTemplate(before => ({ ...before, ...parts }))}
        components={JSON.stringify(templateOf(template, reply)?.components ?? [])}
        name={{
          label: 'Template by cloud chat',
          description: 'Sent there instead of the text; empty: the text is sent, which some cloud numbers refuse',
          error: faultAt(set.error, 'cloudTemplate'),
        }}
      />
    </FormDialog>
  );
}

/** The template; the components of one that keeps its name stay, since no page edits them. */
function templateOf({ name, language }: TemplateKey, reply: AutoReplyFragment | null) {
  if (name === '') return null;
  const before = reply?.cloudTemplate;
  return { name, language, components: before?.name === name ? before.components : null };
}
