/** The page in the place of one whose code did not load, or failed. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useRouteError } from 'react-router';
import { Empty } from '../ui/feedback.tsx';

/**
 * A page that failed: its files did not come, or have other names since the gateway was upgraded. A reload finds them; while no gateway answers
 * it would lose the rest of the dashboard as well.
 */
export function Broken(): ReactNode {
  const error = useRouteError();
  const [isAway, setAway] = useState(false);
  const again = async (): Promise<void> => {
    const answered = await fetch(location.href, { method: 'HEAD' }).catch(() => null);
    if (answered?.ok) location.reload();
    else setAway(true);
  };
  return (
    <Empty title="This page could not be shown">
      <p role="status">
        {isAway
          ? 'The gateway does not answer. Check that it runs and that you are online, and try again.'
          : 'The gateway does not answer, or it was upgraded since the dashboard was opened.'}
      </p>
      <p className="quiet">
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </p>
      <Button onClick={() => void again()}>Try again</Button>
    </Empty>
  );
}
