/** Tries a config before it is saved, and says what came of it. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { ask } from '../../../api/ask.ts';
import { ProbeConnectionDocument, type ProbeConnectionMutation } from '../../../api/operations.generated.ts';
import { Failure } from '../../../ui/failure.ts';
import { Status } from '../../../ui/status.tsx';
import { duration } from '../../../ui/times.tsx';
import styles from '../connections.module.css';

/** A try, and what came of it. @param connectionId of the connection that is edited, whose secrets stay; null: a new one */
export function useProbe(provider: string, connectionId: string | null) {
  const { mutate, data, error, isPending, reset } = useMutation<
    ProbeConnectionMutation,
    Failure,
    Record<string, unknown>
  >({ mutationFn: config => ask(ProbeConnectionDocument, { input: { provider, config, connectionId } }) });
  return {
    run: (config: Record<string, unknown>) => mutate(config),
    found: data?.probeConnection,
    error: error ?? faultOf(data?.probeConnection),
    isPending,
    reset,
  };
}

/** The fault of one input as a refusal of it; null: none was found, or it is not of a single input. */
function faultOf(found: ProbeConnectionMutation['probeConnection'] | undefined): Failure | null {
  if (!found?.field) return null;
  const { field, message } = found;
  return new Failure('INVALID_INPUT', message, { faults: [{ field, message }] });
}

/** The button, and below it what was found. */
export function ProbeConfig({
  probe: { found, isPending },
  run,
}: {
  readonly probe: ReturnType<typeof useProbe>;
  readonly run: () => void;
}): ReactNode {
  const said = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The buttons of the dialog cover its lower edge.
    if (found) said.current?.scrollIntoView({ block: 'center' });
  }, [found]);
  return (
    <div className={styles.probe}>
      <Button variant="default" loading={isPending} onClick={run}>
        Test before saving
      </Button>
      <span className="quiet">Signs in at the provider, and sends no text.</span>
      <div role="status" ref={said}>
        {found && (
          <>
            <Status status={found.result} /> <span className="quiet">in {duration(found.milliseconds)}</span>
            {/* Here too, for the input at fault may be out of sight. */}
            <p>{found.message}</p>
          </>
        )}
      </div>
    </div>
  );
}
