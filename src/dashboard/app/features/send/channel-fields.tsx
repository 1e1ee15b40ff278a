/** The fields that a channel has of its own: whom it comes from, or the template that it takes. */
import { Select, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CHANNEL_FACTS } from '../../api/channels.generated.ts';
import type { Channel } from '../../api/operations.generated.ts';
import { phoneWord } from '../../ui/words.ts';
import { componentsFault, type Sender } from './draft.ts';
import type { FormPart } from './faults.ts';
import styles from './send.module.css';

interface Fields extends FormPart {
  readonly channel: Channel;
  readonly senders: readonly Sender[];
}

/** The fields. */
export function ChannelFields(props: Fields): ReactNode {
  const { senderField, senderIs, templateField } = CHANNEL_FACTS[props.channel];
  const label = senderIs === 'name' ? 'From' : 'From the number';
  return (
    <>
      {senderField && <SenderSelect {...props} label={label} name={senderField} />}
      {templateField && <TemplateFields {...props} />}
    </>
  );
}

function SenderSelect({
  channel,
  draft,
  change,
  faults,
  senders,
  label,
  name,
}: Fields & { readonly label: string; readonly name: 'sender' | 'chatFrom' }): ReactNode {
  const known = senders.filter(sender => sender.channel === channel);
  const options = known.map(sender => ({
    value: sender.name,
    label: `${phoneWord(sender.name)}${sender.approved ? '' : ' – not approved yet'}`,
    disabled: !sender.approved,
  }));
  const isStrange = draft[name] !== '' && !known.some(sender => sender.name === draft[name]);
  return (
    <Select
      label={label}
      className={styles.sender ?? ''}
      data={isStrange ? [...options, { value: draft[name], label: draft[name] }] : options}
      value={draft[name] || null}
      placeholder="Choose a sender"
      allowDeselect={false}
      onChange={value => change({ [name]: value ?? '' })}
      onBlur={() => faults.leave(name)}
      error={faults.of(name) ?? (isStrange ? 'The account has no such sender.' : null)}
    />
  );
}

function TemplateFields({ channel, draft, change, faults, senders }: Fields): ReactNode {
  const number = senders.find(sender => sender.channel === channel && sender.approved);
  const isOtp = draft.kind === 'otp';
  const own = isOtp ? number?.otpTemplate : null;
  return (
    <div className={styles.cloud}>
      <TextInput
        label="Template"
        placeholder={own?.name ?? 'order_update'}
        {...(own && { description: `Empty: ${own.name}, which the number has for codes` })}
        value={draft.cloudName}
        onChange={event => change({ cloudName: event.currentTarget.value.trim() })}
        onBlur={() => {
          faults.leave('cloudTemplate');
          faults.leave('cloudTemplate.name');
        }}
        error={faults.of('cloudTemplate') ?? faults.of('cloudTemplate.name')}
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput
        label="Language"
        placeholder="en_US"
        value={draft.cloudLanguage}
        onChange={event => change({ cloudLanguage: event.currentTarget.value.trim() })}
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
    </div>
  );
}
