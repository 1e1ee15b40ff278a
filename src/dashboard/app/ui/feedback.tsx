/** The notes of a page that has nothing to show: it is empty, loading or failed. */
import { Button, Skeleton } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { Failure } from './failure.ts';
import styles from './ui.module.css';

/** Why it did not work, what to do, and the code small beside it. */
export function FailureNote({
  failure,
  retry,
  close,
  isPlain = false,
}: {
  readonly failure: Failure;
  readonly retry?: () => void;
  readonly close?: () => void;
  /** Without the code: who is not signed in has no page about it. */
  readonly isPlain?: boolean;
}): ReactNode {
  const code = failure.code.toLowerCase();
  return (
    <div className={styles.failure} role="alert">
      <div>
        <p>{failure.message}</p>
        {failure.faults.map(fault => (
          <p key={fault.field}>
            <code>{fault.field}</code> {fault.message}
          </p>
        ))}
        {!isPlain && (
          <p className={styles.failureMore}>
            <Link to={`/errors#${code}`}>
              <code>{code}</code>
            </Link>
            {failure.requestId && <code> {failure.requestId}</code>}
          </p>
        )}
      </div>
      {retry && (
        <Button variant="default" onClick={retry}>
          Try again
        </Button>
      )}
      {close && (
        <Button variant="default" onClick={close}>
          Close
        </Button>
      )}
    </div>
  );
}

/** Nothing is here yet: what it is for, and what to do next. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Lines of the height of what comes; shown only where it takes longer than 300 ms. */
export function Loading({ lines = 6, height = 32 }: { readonly lines?: number; readonly height?: number }): ReactNode {
  const [shows, setShows] = useState(false);
  useTimeout(() => setShows(true), 300, { autoInvoke: true });
  return (
    <div role="status" aria-label="Loading" style={{ minHeight: lines * height }}>
      {shows &&
        Array.from({ length: lines }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike
          <Skeleton key={line} height={height - 12} mb={12} radius={4} />
        ))}
    </div>
  );
}
