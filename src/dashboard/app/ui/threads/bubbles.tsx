/** The bubbles of a thread: the newest at the end, which is in sight. */
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './threads.module.css';

/** So near to the end it counts as the end, in pixels. */
const NEAR_PX = 8;

/**
 * The bubbles. `oldest` and `newest` name those at the ends. Readers of older ones stay where they are, whatever comes at either end, unless
 * they said the newest themselves.
 */
export function Bubbles({
  label,
  oldest,
  newest,
  isNewestOwn,
  children,
}: {
  readonly label: string;
  readonly oldest: string | undefined;
  readonly newest: string | undefined;
  readonly isNewestOwn: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const before = useRef({ oldest, newest, height: 0 });
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    if (isAtEnd.current || (isNewestOwn && before.current.newest !== newest)) showEnd(current);
    else if (before.current.oldest !== oldest) current.scrollTop += current.scrollHeight - before.current.height;
    before.current = { oldest, newest, height: current.scrollHeight };
  });
  // The form below may take more room.
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    const observer = new ResizeObserver(() => isAtEnd.current && showEnd(current));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={box}
      className={styles.bubbles}
      role="log"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      }}
    >
      {children}
    </div>
  );
}

function showEnd(box: HTMLElement): void {
  box.scrollTop = box.scrollHeight;
}

/** One of them: theirs on the left, or one's own on the right. `under` stands below the text, and `children` below that. */
export function Bubble({
  isOwn = false,
  meta,
  text,
  under,
  children,
}: {
  readonly isOwn?: boolean;
  readonly meta: ReactNode;
  readonly text: ReactNode;
  readonly under?: ReactNode;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <article className={styles.bubble} data-own={isOwn || undefined}>
      <p className={styles.meta}>{meta}</p>
      <div className={styles.text}>{text}</div>
      {children}
      {under && <div className={styles.under}>{under}</div>}
    </article>
  );
}
