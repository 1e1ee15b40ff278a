/** Asks the providers for their templates at once. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/hooks.ts';
import { SyncTemplatesDocument, type TemplateConnectionsQuery } from '../../api/operations.generated.ts';
import { Icon } from '../../ui/icons.tsx';

/** The button, and beside it what came of it. */
export function SyncButton({
  connections,
}: {
  readonly connections: TemplateConnectionsQuery['templateConnections'];
}): ReactNode {
  const sync = useChange(SyncTemplatesDocument);
  const [told, setTold] = useState<string | null>(null);
  const syncAll = async (): Promise<void> => {
    setTold(null);
    const words: string[] = [];
    for (const { connectionId, name } of connections) {
      const { message } = (await sync.mutateAsync({ connectionId })).syncTemplates;
      words.push(connections.length > 1 ? `${name}: ${message}` : message);
    }
    setTold(words.join(' '));
  };
  const word = sync.error ? sync.error.message : told;
  return (
    <>
      {/* The status stays in the page while empty, so that screen readers announce a new text; out of the flow it takes no place. */}
      <span role="status" className="quiet" style={word === null ? { position: 'absolute' } : {}}>
        {word}
      </span>
      <Button
        variant="default"
        leftSection={<Icon name="refresh" size={14} />}
        loading={sync.isPending}
        // The failure shows beside the button.
        onClick={() => void syncAll().catch(() => undefined)}
      >
        Synchronise now
      </Button>
    </>
  );
}
