/** Finds operations, events and codes by what is typed: `/` opens it. */
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useState } from 'react';
import type { Group } from './document.ts';

const SHOWN_MAX = 12;

/** The dialog of the search. */
export function Search(props: {
  readonly groups: readonly Group[];
  readonly dialog: RefObject<HTMLDialogElement | null>;
}): ReactNode {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const links = props.groups.flatMap(group => group.links.map(link => ({ ...link, group: group.title })));
  const named = links.filter(link => hasAll(`${link.text} ${link.about} ${link.id} ${link.group}`, words));
  const told = links.filter(
    link => !named.includes(link) && hasAll(`${link.text} ${link.id} ${link.words ?? ''}`, words),
  );
  // Parts with that name come before those with such a field.
  const found = [...named, ...told].slice(0, SHOWN_MAX);
  useOpening(props.dialog);
  const go = (id: string | undefined): void => {
    props.dialog.current?.close();
    if (id !== undefined) location.hash = id;
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(found.length - 1, chosen + step)));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      go(found[chosen]?.id);
    }
  };
  return (
    <dialog ref={props.dialog} className="dialog search" aria-label="Search" onClose={() => setTyped('')}>
      <input
        type="text"
        role="combobox"
        aria-label="Search operations, events and errors"
        aria-expanded="true"
        aria-controls="search-found"
        aria-activedescendant={found[chosen] ? `found-${found[chosen].id}` : undefined}
        placeholder="Search operations, events and errors"
        value={typed}
        onKeyDown={press}
        onChange={event => {
          setTyped(event.target.value);
          setChosen(0);
        }}
      />
      <div role="listbox" id="search-found" aria-label="Found" tabIndex={-1}>
        {found.map((link, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are taken by the input, which keeps the focus
          <div
            key={link.id}
            id={`found-${link.id}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            onClick={() => go(link.id)}
          >
            <span>{link.text}</span>
            <small>{link.about}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="hint">Nothing has these words. Try a path, an operation or a code.</p>}
    </dialog>
  );
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every(word => lower.includes(word));
}

/** `/` and Ctrl+K open the dialog, but where somebody types. */
function useOpening(dialog: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const open = (event: globalThis.KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      const isWanted = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
      if (!isWanted || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      dialog.current?.showModal();
    };
    document.addEventListener('keydown', open);
    return () => document.removeEventListener('keydown', open);
  }, [dialog]);
}
