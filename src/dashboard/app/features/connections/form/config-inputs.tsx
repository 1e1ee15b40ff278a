/** The inputs of the config of a provider. */
import { NumberInput, PasswordInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from '../connections.module.css';
import type { ConfigInput, Texts } from './config-schema.ts';

/** The state that the inputs of a form share. */
export interface ConfigForm {
  readonly texts: Texts;
  readonly change: (path: string, text: string) => void;
  /** The fault of an input, or of a section itself. */
  readonly faultOf: (input: ConfigInput) => string | undefined;
}

/** All of them. */
export function ConfigInputs({
  inputs,
  form,
}: {
  readonly inputs: readonly ConfigInput[];
  readonly form: ConfigForm;
}): ReactNode {
  return inputs.map(input => <OneInput key={input.path} input={input} form={form} />);
}

function OneInput({ input, form }: { readonly input: ConfigInput; readonly form: ConfigForm }): ReactNode {
  const { path, label, about, kind, choices, isRequired, preset, inputs } = input;
  const { texts, change, faultOf } = form;
  const shared = {
    label,
    description: about,
    withAsterisk: isRequired,
    error: faultOf(input),
    value: texts[path] ?? '',
  };
  const write = (text: string): void => change(path, text);
  const onChange = (event: { readonly currentTarget: { readonly value: string } }): void =>
    write(event.currentTarget.value);
  switch (kind) {
    case 'section':
      return (
        <fieldset className={styles.section}>
          <legend>{label}</legend>
          {about && <p className="quiet">{about}</p>}
          {shared.error && <p className={styles.fault}>{shared.error}</p>}
          <ConfigInputs inputs={inputs} form={form} />
        </fieldset>
      );
    case 'toggle': {
      const isOn = texts[path] === 'true';
      return (
        <>
          <Switch
            label={label}
            description={about}
            error={shared.error}
            checked={isOn}
            onChange={event => write(event.currentTarget.checked ? 'true' : '')}
          />
          {isOn && <ConfigInputs inputs={inputs} form={form} />}
        </>
      );
    }
    case 'choice':
    case 'switch':
      return (
        <Select
          {...shared}
          value={texts[path] || (preset ?? null)}
          clearable={!isRequired && preset === undefined}
          clearButtonProps={{ 'aria-label': `Clear ${label}` }}
          data={kind === 'switch' ? BOOLEANS : [...choices]}
          onChange={text => write(text ?? '')}
        />
      );
    case 'number':
      return (
        <NumberInput {...shared} placeholder={preset ?? ''} hideControls onChange={value => write(String(value))} />
      );
    case 'secret':
      return (
        <PasswordInput
          {...shared}
          // Mantine leaves both out of an input of this kind alone.
          {...(shared.error && { 'aria-invalid': true, 'aria-describedby': `fault-${path}` })}
          errorProps={{ id: `fault-${path}` }}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': `Show ${label}` }}
          onChange={onChange}
        />
      );
    case 'long':
    case 'pairs':
    case 'json':
      return (
        <Textarea
          {...shared}
          description={[about, FORMS[kind]].filter(Boolean).join('. ')}
          placeholder={preset ?? ''}
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mono)' } }}
          onChange={onChange}
        />
      );
    default:
      return <TextInput {...shared} placeholder={preset ?? ''} autoComplete="off" onChange={onChange} />;
  }
}

/** Notes on the syntax of inputs with several lines. */
const FORMS = { long: '', pairs: 'A name and a value in each line, like user: tester', json: '' } as const;

const BOOLEANS = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];
