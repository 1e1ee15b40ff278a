/** Every error by its code: what it says and how to mend it. */
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'react-router';
import { ERRORS_PAGE } from '../../../errors-page.ts';
import { Page } from '../../ui/page.tsx';
import styles from './errors.module.css';

/** The page that codes of errors lead to, at their heading. */
export function Errors(): ReactNode {
  const { hash } = useLocation();
  useEffect(() => {
    const code = hash.slice(1);
    // A code of a provider has no heading of its own.
    const place = document.getElementById(code) ?? (code && document.getElementById('why-an-attempt-failed'));
    if (place) place.scrollIntoView();
  }, [hash]);
  return (
    <Page
      title="Errors"
      about={
        <>
          What each code says, and how to mend it. <Link to="/requests">Requests</Link> lists what was refused of this
          account.
        </>
      }
    >
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: it is a page of our own, made when the dashboard is built */}
      <div className={styles.text} dangerouslySetInnerHTML={{ __html: ERRORS_PAGE }} />
    </Page>
  );
}
