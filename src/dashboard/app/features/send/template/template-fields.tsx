/** The template of a cloud number: names and languages are completed as far as they are known, and its text shows as it will look. */
import { Autocomplete, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useAnswer } from '../../../api/hooks.ts';
import { type Channel, KnownTemplatesDocument, type KnownTemplatesQuery } from '../../../api/operations.generated.ts';
import { Status } from '../../../ui/status.tsx';
import { componentsFault, type Sender } from '../draft.ts';
import type { FormPart } from '../faults.ts';
import styles from '../send.module.css';
import { filledText, textWithCode } from './filled-text.ts';

/** How long nothing must be typed before templates are asked for, in milliseconds. */
const REST_MS = 200;

/** A code, for a look. */
const CODE = '123456';

type Template = KnownTemplatesQuery['cloudTemplates']['nodes'][number];

/** The fields. */
export function TemplateFields({
  channel,
  draft,
  change,
  faults,
  senders,
}: FormPart & { readonly channel: Channel; readonly senders: readonly Sender[] }): ReactNode {
  const number = senders.find(sender => sender.channel === channel && sender.approved);
  const isOtp = draft.kind === 'otp';
  const own = isOtp ? number?.otpTemplate : null;
  const { name, language } =
    draft.cloudName === '' && own ? own : { name: draft.cloudName, language: draft.cloudLanguage };
  const known = useTemplates(name, isOtp);
  const named = known.filter(template => template.name === name);
  const shown = named.find(template => template.language === language);
  const choose = (cloudName: string): void => {
    const [first, ...others] = known.filter(template => template.name === cloudName);
    // Where there is one language, nobody else is meant.
    change({ cloudName, ...(first && others.length === 0 && { cloudLanguage: first.language }) });
  };
  return (
    <div className={styles.cloud}>
      <Autocomplete
        label="Template"
        placeholder={own?.name ?? 'order_update'}
        {...(own && { description: `Empty: ${own.name}, which the number has for codes` })}
        data={[...new Set(known.map(template => template.name))]}
        value={draft.cloudName}
        onChange={value => choose(value.trim())}
        onBlur={() => {
          faults.leave('cloudTemplate');
          faults.leave('cloudTemplate.name');
        }}
        error={faults.of('cloudTemplate') ?? faults.of('cloudTemplate.name')}
        autoComplete="off"
        spellCheck={false}
      />
      <Autocomplete
        label="Language"
        placeholder="en_US"
        data={[...new Set(named.map(template => template.language))]}
        value={draft.cloudLanguage}
        onChange={value => change({ cloudLanguage: value.trim() })}
        onBlur={() => faults.leave('cloudTemplate.language')}
        error={faults.of('cloudTemplate.language')}
        autoComplete="off"
        spellCheck={false}
      />
      {!isOtp && (
        <Textarea
          className={styles.components ?? ''}
          label="Components, as JSON"
          placeholder='[{"type": "body", "parameters": [{"type": "text", "text": "1042"}]}]'
          autosize
          minRows={1}
          maxRows={8}
          value={draft.cloudComponents}
          onChange={event => change({ cloudComponents: event.currentTarget.value })}
          onBlur={() => faults.leave('cloudTemplate.components')}
          error={componentsFault(draft.cloudComponents) ?? faults.of('cloudTemplate.components')}
          spellCheck={false}
        />
      )}
      {shown && <Look template={shown} components={isOtp ? null : draft.cloudComponents} />}
    </div>
  );
}

/** The templates whose names hold what is typed; none where they cannot be asked for. */
function useTemplates(typed: string, isOtp: boolean): readonly Template[] {
  const [name] = useDebouncedValue(typed, REST_MS);
  const filter = { ...(name !== '' && { name }), ...(isOtp && { category: 'AUTHENTICATION' }) };
  return useAnswer(KnownTemplatesDocument, { filter }).data?.cloudTemplates.nodes ?? [];
}

/** The text as it will look. @param components as JSON; null: it is a template for codes */
function Look({
  template,
  components,
}: {
  readonly template: Template;
  readonly components: string | null;
}): ReactNode {
  const { status, preview } = template;
  const text = preview && (components === null ? textWithCode(preview, CODE) : filledText(preview, components));
  return (
    <figure className={styles.look} aria-label="The text of the template">
      {text && <blockquote>{text}</blockquote>}
      {status !== 'APPROVED' && <Status status={status} />}
    </figure>
  );
}
