/** The icons: 16 by 16, drawn in the colour of the text beside them, and hidden from who listens. */
import type { ReactNode } from 'react';

const PATHS = {
  overview: 'M2.5 13.5v-5M6.2 13.5v-9M9.8 13.5v-6M13.5 13.5v-11',
  logs: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  requests: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.6M8 11h.01',
  send: 'M14 2 7 9M14 2 9.5 14 7 9 2 6.5 14 2Z',
  phone: 'M5 1.5h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1ZM7.2 12h1.6',
  inbox: 'M2 9.5h3.2l1 2h3.6l1-2H14M2 9.5V12a1.5 1.5 0 0 0 1.5 1.5h9A1.5 1.5 0 0 0 14 12V9.5M2 9.5l2-6h8l2 6',
  webhooks:
    'M6.2 6.5 4 10.6M4 13.2a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM12 13.2a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM8 6.4a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM9 6.1l2.2 3.8M5.8 11.4h4.4',
  connections: 'M6 10 10 6M7.2 4.6 9 2.9a3 3 0 0 1 4.2 4.2l-1.8 1.7M8.8 11.4 7 13.1a3 3 0 0 1-4.2-4.2l1.8-1.7',
  senders: 'M8 7.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2ZM3 13.6c.5-2.4 2.5-3.8 5-3.8s4.5 1.4 5 3.8',
  templates: 'M3 2.5h7l3 3v8H3ZM9.7 2.7v3.1h3.1M5.5 8.5h5M5.5 11h3',
  replies: 'M2.5 3.5h11V11H7.5L4.5 13.5V11h-2ZM5.3 6.1h5.4M5.3 8.4h3.2',
  credits:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v6M10 6.3C9.6 5.6 8.9 5.3 8 5.3c-1.1 0-2 .5-2 1.4 0 1.9 4 .8 4 2.7 0 .9-.9 1.4-2 1.4-.9 0-1.7-.4-2-1',
  alerts: 'M4 11.5V7a4 4 0 0 1 8 0v4.5l1.2 1H2.8l1.2-1ZM6.7 14.2h2.6',
  tokens: 'M9.7 6.3a3.2 3.2 0 1 0-1.9 1.9L9.3 9.7h1.5v1.5h1.5v1.5h1.7v-2.1L9.7 6.3ZM5.2 5.2h.01',
  limits: 'M8 2 3 4v4c0 3 2 5.2 5 6 3-.8 5-3 5-6V4L8 2Z',
  audit: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2',
  account: 'M2.5 3.5h11v9h-11zM5 6.5h6M5 9.5h3.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.2 3.2',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'm3 8.5 3.2 3L13 4.5',
  close: 'm4 4 8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  down: 'm4 6 4 4 4-4',
  up: 'm4 10 4-4 4 4',
  right: 'm6 4 4 4-4 4',
  left: 'm10 4-4 4 4 4',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M2.5 13.5h11',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5Z',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  playground: 'm5 4.5-3 3.5 3 3.5M11 4.5l3 3.5-3 3.5M9.2 3 6.8 13',
  book: 'M8 4.2C6.5 3 4.5 2.7 2.5 2.8v9.7c2 0 4 .2 5.5 1.3 1.5-1.1 3.5-1.3 5.5-1.3V2.8c-2-.1-4 .2-5.5 1.4ZM8 4.2v9.6',
  drag: 'M6 3.5h.01M10 3.5h.01M6 8h.01M10 8h.01M6 12.5h.01M10 12.5h.01',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.5M13 2.5v2.7h-2.7',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.6',
} as const;

/** The names of the icons. */
export type IconName = keyof typeof PATHS;

/** An icon; what it stands for is said by the text or the label beside it. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  const isDots = name === 'more' || name === 'drag';
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        stroke="currentColor"
        strokeWidth={isDots ? 2 : 1.4}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** The mark of Heliograph: a sun. */
export function Mark({ size = 18 }: { readonly size?: number }): ReactNode {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#1f2a44" />
      <circle cx="16" cy="16" r="6" fill="#ffc53d" />
      <path
        d="M16 4v3M16 25v3M4 16h3M25 16h3M7.5 7.5l2.1 2.1M22.4 22.4l2.1 2.1M7.5 24.5l2.1-2.1M22.4 9.6l2.1-2.1"
        stroke="#ffc53d"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
    </svg>
  );
}
