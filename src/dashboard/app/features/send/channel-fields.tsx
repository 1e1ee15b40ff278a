/** The fields that a channel has of its own: whom it comes from, or the template that it takes. */
import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { CHANNEL_FACTS } from '../../api/channels.generated.ts';
import type { Channel } from '../../api/operations.generated.ts';
import { phoneWord } from '../../ui/words.ts';
import type { Sender } from './draft.ts';
import type { FormPart } from './faults.ts';
import { TemplateFields } from './template-fields.tsx';
import type { PreviewState } from './use-preview.ts';

interface Fields extends FormPart {
  readonly channel: Channel;
  readonly senders: readonly Sender[];
  readonly state: PreviewState;
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
