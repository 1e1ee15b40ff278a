/** The inputs of the config of a provider. */
import { NumberInput, PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ConfigInput } from './config-schema.ts';

/** All of them. `faultOf` says what is at fault with one. */
export function ConfigInputs({
  inputs,
  texts,
  change,
  faultOf,
}: {
  readonly inputs: readonly ConfigInput[];
  readonly texts: Readonly<Record<string, string>>;
  readonly change: (name: string, text: string) => void;
  readonly faultOf: (name: string) => string | undefined;
}): ReactNode {
  return inputs.map(input => {
    const { name, label, about, kind, choices, isRequired, preset } = input;
    const shared = {
      label,
      description: about,
      withAsterisk: isRequired,
      error: faultOf(name),
      value: texts[name] ?? '',
    };
    const write = (text: string): void => change(name, text);
    if (kind === 'choice' || kind === 'switch')
      return (
        <Select
          key={name}
          {...shared}
          value={texts[name] ?? preset ?? null}
          clearable={!isRequired && preset === undefined}
          clearButtonProps={{ 'aria-label': `Clear ${label}` }}
          data={kind === 'switch' ? BOOLEANS : [...choices]}
          onChange={text => write(text ?? '')}
        />
      );
    if (kind === 'number')
      return (
        <NumberInput
          key={name}
          {...shared}
          placeholder={preset ?? ''}
          hideControls
          onChange={value => write(String(value))}
        />
      );
    if (kind === 'secret')
      return (
        <PasswordInput
          key={name}
          {...shared}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': `Show ${label}` }}
          onChange={event => write(event.currentTarget.value)}
        />
      );
    if (kind === 'json')
      return (
        <Textarea
          key={name}
          {...shared}
          description={[about, 'As JSON'].filter(Boolean).join('. ')}
          placeholder={preset ?? ''}
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mono)' } }}
          onChange={event => write(event.currentTarget.value)}
        />
      );
    return (
      <TextInput
        key={name}
        {...shared}
        placeholder={preset ?? ''}
        autoComplete="off"
        onChange={event => write(event.currentTarget.value)}
      />
    );
  });
}

const BOOLEANS = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];
