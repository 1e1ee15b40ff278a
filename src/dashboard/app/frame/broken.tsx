/** What shows where a page cannot: its code did not load, or failed. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRouteError } from 'react-router';
import { Empty } from '../ui/feedback.tsx';

/** A page that failed: after an upgrade of the gateway its files have other names, and a reload finds them. */
export function Broken(): ReactNode {
  const error = useRouteError();
  return (
    <Empty title="This page could not be shown">
      <p>
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </p>
      <p>The gateway may have been upgraded since the page was opened. Reload to get its present version.</p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </Empty>
  );
}
