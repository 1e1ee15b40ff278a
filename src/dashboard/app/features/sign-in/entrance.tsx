/** The frame of the forms of a person who is not signed in. */
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Mark } from '../../ui/icons.tsx';
import styles from './sign-in.module.css';

/** The mark, a title and a form. */
export function Entrance({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  useDocumentTitle(`${title} · Heliograph`);
  return (
    <main className={styles.entrance}>
      <span className={styles.brand}>
        <Mark size={32} />
        Heliograph
      </span>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
