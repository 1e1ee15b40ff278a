/** Texts for machines: words in sentences, blocks that are copied, and tabs of them. */
import { Fragment, type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { copyText } from '../copy-text.ts';

/** A sentence of the document, in which backquotes mark code. */
export function Words({ text }: { readonly text: string }): ReactNode {
  return text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change places
    index % 2 === 1 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
  );
}

const SECONDS_SHOWN = 1.5;

/** A button that copies a text, and says that it did. */
export function Copy({ text, of }: { readonly text: string; readonly of: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SECONDS_SHOWN * 1000);
  };
  // The button goes on to offer it; what is copied is there to be marked by hand.
  const tryToCopy = (): void => void copy().catch(() => undefined);
  return (
    <button type="button" className="quiet-button" aria-label={`Copy ${of}`} onClick={tryToCopy}>
      <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
    </button>
  );
}

/** A block of code. Its strings have a colour, names of members another. */
export function Code({ text }: { readonly text: string }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <pre className="code" tabIndex={0}>
      <code>{coloured(text)}</code>
    </pre>
  );
}

function coloured(text: string): ReactNode[] {
  const parts = text.split(/("(?:[^"\\\n]|\\.)*"(?:\s*:)?|^#.*$)/m);
  return parts.map((part, index) => {
    const kind = part.startsWith('#') ? 'note' : part.endsWith(':') ? 'member' : 'string';
    return index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change places
      <span key={index} className={kind}>
        {part}
      </span>
    ) : (
      part
    );
  });
}

/** A head with a title and what can be done, over what it is about. */
export function Block(props: {
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="block">
      <div className="block-head">
        <div className="block-title">{props.title}</div>
        {props.actions}
      </div>
      {props.children}
    </div>
  );
}

/** Tabs, of which one is open: arrows go from one to the next. */
export function Tabs<Name extends string>(props: {
  readonly label: string;
  readonly names: readonly Name[];
  readonly open: Name;
  onOpen(name: Name): void;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  const { names, open } = props;
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = names[(names.indexOf(open) + step + names.length) % names.length];
    if (next === undefined) return;
    props.onOpen(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div className="block">
      <div className="block-head">
        <div role="tablist" aria-label={props.label} className="tabs" onKeyDown={move}>
          {names.map(name => (
            <button
              key={name}
              id={`${id}-${name}`}
              type="button"
              role="tab"
              aria-selected={name === open}
              aria-controls={`${id}-panel`}
              tabIndex={name === open ? 0 : -1}
              onClick={() => props.onOpen(name)}
            >
              {name}
            </button>
          ))}
        </div>
        {props.actions}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open}`}>
        {props.children}
      </div>
    </div>
  );
}
