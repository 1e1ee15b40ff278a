/** Light and dark: as the system says, until the reader says otherwise. */
import { type ReactNode, useState } from 'react';

/** The key of the choice in localStorage: it may outlive the tab, since it says nothing about anybody. */
const KEY = 'heliograph:scheme';

const isDark = (): boolean =>
  document.documentElement.dataset.scheme === 'dark' ||
  (document.documentElement.dataset.scheme === undefined && matchMedia('(prefers-color-scheme: dark)').matches);

/** Takes up what was chosen before. Call it before the page renders. */
export function applyScheme(): void {
  const kept = localStorage.getItem(KEY);
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset.scheme = kept;
}

/** The switch. */
export function SchemeSwitch(): ReactNode {
  const [, redraw] = useState(0);
  const other = isDark() ? 'light' : 'dark';
  const change = (): void => {
    document.documentElement.dataset.scheme = other;
    localStorage.setItem(KEY, other);
    redraw(count => count + 1);
  };
  return (
    <button
      type="button"
      className="button icon"
      aria-label={`Switch to ${other}`}
      title={`Switch to ${other}`}
      onClick={change}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
      </svg>
    </button>
  );
}
