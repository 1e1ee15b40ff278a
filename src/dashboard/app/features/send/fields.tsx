/** The inputs of a message and of a passcode beside its channels. */
import { NumberInput, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { PreviewFragment } from '../../api/operations.generated.ts';
import { Cost } from '../../frame/cost/cost.tsx';
import type { FormPart } from './faults.ts';
import styles from './send.module.css';

interface Texts extends FormPart {
  readonly preview: PreviewFragment | null;
}

/** Whom it goes to. */
export function Recipient({ draft, change, faults }: FormPart): ReactNode {
  return (
    <TextInput
      label="To"
      type="tel"
      placeholder="+12025550100"
      autoComplete="off"
      value={draft.to}
      onChange={event => change({ to: event.currentTarget.value })}
      onBlur={() => draft.to !== '' && faults.leave('to')}
      error={faults.of('to')}
    />
  );
}

/** The text of a message, and its reference. */
export function MessageFields({ draft, change, faults, preview }: Texts): ReactNode {
  const cost = useId();
  return (
    <>
      <Textarea
        label="Text"
        autosize
        minRows={4}
        maxRows={16}
        value={draft.text}
        onChange={event => change({ text: event.currentTarget.value })}
        onBlur={() => faults.leave('text')}
        error={faults.of('text')}
        aria-describedby={cost}
      />
      <div className={styles.cost}>
        <Cost text={draft.text} preview={preview} id={cost} replace={text => change({ text })} />
      </div>
      <TextInput
        label="Reference"
        description="Optional. The same message with the same reference is sent once in 30 days."
        placeholder="order-1042"
        autoComplete="off"
        spellCheck={false}
        value={draft.reference}
        onChange={event => change({ reference: event.currentTarget.value })}
        onBlur={() => faults.leave('reference')}
        error={faults.of('reference')}
      />
    </>
  );
}

/** The text that the gateway writes where no template is given. */
const TEMPLATE = 'Your verification code is {{code}}. It expires in {{minutes}} minutes.';

/** The template of a passcode, and its code. */
export function OtpFields({ draft, change, faults, preview }: Texts): ReactNode {
  const cost = useId();
  return (
    <>
      <Textarea
        label="Text"
        description={
          <>
            <code>{'{{code}}'}</code> and <code>{'{{minutes}}'}</code> are filled in.
          </>
        }
        placeholder={TEMPLATE}
        autosize
        minRows={2}
        maxRows={16}
        value={draft.template}
        onChange={event => change({ template: event.currentTarget.value })}
        onBlur={() => faults.leave('template')}
        error={faults.of('template')}
        aria-describedby={cost}
      />
      <div className={styles.cost}>
        <Cost
          text={draft.template || TEMPLATE}
          preview={preview}
          id={cost}
          replace={template => change({ template })}
        />
      </div>
      <div className={styles.pair}>
        <NumberInput
          label="Digits"
          placeholder="6"
          allowDecimal={false}
          allowNegative={false}
          value={draft.length}
          onChange={length => change({ length: String(length) })}
          onBlur={() => faults.leave('length')}
          error={faults.of('length')}
        />
        <NumberInput
          label="Expires after"
          placeholder="300 seconds"
          suffix=" seconds"
          step={60}
          allowDecimal={false}
          allowNegative={false}
          value={draft.expiresIn}
          onChange={expiresIn => change({ expiresIn: String(expiresIn) })}
          onBlur={() => faults.leave('expiresIn')}
          error={faults.of('expiresIn')}
        />
      </div>
    </>
  );
}
