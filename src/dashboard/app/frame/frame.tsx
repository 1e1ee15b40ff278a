/** The frame of every page: where one is, where one can go, and who one is. */
import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { useAnswer, viewerKey } from '../api/hooks.ts';
import { ViewerDocument } from '../api/operations.generated.ts';
import { Failure } from '../ui/failure.ts';
import { FailureNote, Loading } from '../ui/feedback.tsx';
import { Icon, Mark } from '../ui/icons.tsx';
import { loadGrouping, setAccountZone } from '../ui/region/region.ts';
import { AccountMenu } from './account-menu.tsx';
import { ChooseAccount } from './choose-account.tsx';
import styles from './frame.module.css';
import { useShortcuts } from './keys/use-shortcuts.tsx';
import { Nav } from './nav.tsx';
import { PaletteButton, usePalette } from './palette/palette-opener.tsx';
import { chooseAccount } from './session/acting-account.ts';
import { SessionProvider, useViewer } from './session/session.tsx';
import { useSignOut } from './session/use-sign-out.ts';
import { useMarks } from './unread/use-marks.ts';

const PagesDrawer = lazy(async () => ({ default: (await import('./pages-drawer.tsx')).PagesDrawer }));

/** Asks who is signed in, and shows the page inside its frame, or the way to sign in. */
export function Frame(): ReactNode {
  const { data, error, refetch } = useAnswer(ViewerDocument, {});
  const { pathname, search, hash } = useLocation();
  const isGone = error?.code === 'NOT_FOUND';
  useEffect(() => {
    if (!isGone) return;
    // The account that the operator looked at last is gone, or the database is another one.
    chooseAccount(null);
    void refetch();
  }, [isGone, refetch]);
  // A later error leaves the page as it is, with what was typed into it: the next answer may come.
  if (!data) return error && !isGone ? <FailureNote failure={error} retry={refetch} /> : <Loading />;
  const { viewer } = data;
  const next = new URLSearchParams({ next: pathname + search + hash });
  if (!viewer) return <Navigate to={`/sign-in#${next}`} replace />;
  if (viewer.secondFactor?.isRequired && viewer.secondFactor.since === null)
    return <Navigate to={`/second-factor#${next}`} replace />;
  return (
    <SessionProvider key={viewerKey(viewer)} viewer={viewer}>
      <Shell />
    </SessionProvider>
  );
}

function Shell(): ReactNode {
  const [isOpen, { open, close }] = useDisclosure();
  // The menu or the palette that begins a sign-out is gone by the time it fails.
  const { mutate, error: failure, reset } = useSignOut();
  const signOut = (): void => mutate();
  const { palette, open: openPalette } = usePalette(signOut);
  const shortcuts = useShortcuts();
  const { pathname, hash } = useLocation();
  const { account } = useViewer();
  const marks = useMarks();
  const zone = account?.timeZone;
  useEffect(() => {
    if (zone !== undefined) setAccountZone(zone);
  }, [zone]);
  useEffect(() => void loadGrouping(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins at its top, but where its link names a place
  useEffect(() => {
    if (hash === '') scrollTo(0, 0);
  }, [pathname]);
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <aside className={styles.side}>
        <Brand />
        <AccountMenu signOut={signOut} />
        <PaletteButton open={openPalette} />
        <Nav marks={marks} />
      </aside>
      <header className={styles.bar}>
        <ActionIcon variant="subtle" color="gray" aria-label="Pages" onClick={open}>
          <Icon name="menu" />
        </ActionIcon>
        <Brand />
        <PaletteButton open={openPalette} />
      </header>
      {palette}
      {shortcuts}
      {isOpen && (
        <Suspense>
          <PagesDrawer close={close} marks={marks} signOut={signOut} />
        </Suspense>
      )}
      <main id="main" className={styles.main} tabIndex={-1}>
        {failure && <NotSignedOut failure={failure} retry={signOut} close={reset} />}
        <Suspense fallback={<Loading />}>{account ? <Outlet /> : <ChooseAccount />}</Suspense>
      </main>
    </div>
  );
}

/** Why one is signed in still, though one wanted to leave; until one goes to another page. */
function NotSignedOut({
  failure,
  retry,
  close,
}: {
  readonly failure: Failure;
  readonly retry: () => void;
  readonly close: () => void;
}): ReactNode {
  const { pathname } = useLocation();
  const [failedAt] = useState(pathname);
  const isLeft = pathname !== failedAt;
  useEffect(() => {
    if (isLeft) close();
  }, [isLeft, close]);
  const said = new Failure(failure.code, `You are still signed in. ${failure.message}`, failure);
  return (
    <div className={styles.failed}>
      <FailureNote failure={said} retry={retry} close={close} />
    </div>
  );
}

function Brand(): ReactNode {
  return (
    <span className={styles.brand}>
      <Mark />
      Heliograph
    </span>
  );
}
