/** Names with their values, one under the other. */
import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** A value, what it is called, and in plain words what it does. */
export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  readonly about?: string;
}

/** The list. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value, about }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {about && <p>{about}</p>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
