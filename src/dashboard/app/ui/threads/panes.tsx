/** Threads on the left, one of them on the right: side by side where there is room, else one at a time. */
import type { ReactNode } from 'react';
import { Link, NavLink } from 'react-router';
import { Icon } from '../icons.tsx';
import { Time } from '../times.tsx';
import { Unread } from '../unread.tsx';
import styles from './threads.module.css';

/** The two panes. `thread` null: none is chosen, which `choose` says. */
export function Panes({
  list,
  thread,
  choose,
}: {
  readonly list: ReactNode;
  readonly thread: ReactNode | null;
  readonly choose: string;
}): ReactNode {
  return (
    <div className={styles.panes} data-open={thread !== null || undefined}>
      {list}
      {thread ?? <Note>{choose}</Note>}
    </div>
  );
}

/** A sentence in the place of rows or of a thread. */
export function Note({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className={styles.choose}>{children}</p>;
}

/** The threads, below what finds them. */
export function ThreadList({
  label,
  tools,
  children,
}: {
  readonly label: string;
  readonly tools: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <nav className={styles.list} aria-label={label}>
      <div className={styles.tools}>{tools}</div>
      {children}
    </nav>
  );
}

/** A thread in the list. */
export function ThreadRow({
  to,
  name,
  at,
  text,
  unread,
}: {
  readonly to: string;
  readonly name: string;
  /** When the newest text of it came; null: none is there. */
  readonly at: string | null;
  readonly text: ReactNode;
  readonly unread: number;
}): ReactNode {
  return (
    <li>
      <NavLink to={to} className={styles.row ?? ''} data-unread={unread > 0 || undefined}>
        <span className={styles.rowLine}>
          <strong className="numbers">{name}</strong>
          <span className="quiet">{at !== null && <Time at={at} />}</span>
        </span>
        <span className={styles.rowLine}>
          <span className={styles.last}>{text}</span>
          <Unread count={unread} />
        </span>
      </NavLink>
    </li>
  );
}

/** The thread that is open. `back` leads to the list where both have no room. */
export function Thread({
  label,
  title,
  back,
  head,
  children,
}: {
  readonly label: string;
  /** Absent while it is not known: a heading without words is read as one. */
  readonly title: ReactNode;
  readonly back: { readonly to: string; readonly label: string };
  readonly head: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className={styles.thread} aria-label={label}>
      <header className={styles.threadHead}>
        <Link to={back.to} className={styles.back} aria-label={back.label}>
          <Icon name="left" />
        </Link>
        {title && <h2 className="numbers">{title}</h2>}
        {head}
      </header>
      {children}
    </section>
  );
}
