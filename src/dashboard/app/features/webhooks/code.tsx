/** Texts as machines read them. */
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../../ui/copy/copy.tsx';
import styles from './webhooks.module.css';

/** A text that keeps its lines. `label` says what is copied: `Copy the body`. */
export function Code({ text, label }: { readonly text: string; readonly label?: string }): ReactNode {
  return (
    <div className={styles.code}>
      <pre>{text}</pre>
      {label && <CopyButton text={text} label={label} />}
    </div>
  );
}

/** A body, with its lines set out or character for character. */
export function Body({ text }: { readonly text: string }): ReactNode {
  const [shape, setShape] = useState('pretty');
  return (
    <>
      <SegmentedControl
        aria-label="How the body is shown"
        data={[
          { value: 'pretty', label: 'Pretty' },
          { value: 'raw', label: 'Raw' },
        ]}
        value={shape}
        onChange={setShape}
      />
      <Code text={shape === 'pretty' ? pretty(text) : text} label="Copy the body" />
    </>
  );
}

/** JSON with its lines set out; what is no JSON stays as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
