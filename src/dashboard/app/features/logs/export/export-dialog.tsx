/** How far an export has come, and what ends it; loaded when the first one begins. */
import { Button, Modal, Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenDialog } from '../../../ui/dialogs/open-dialog.ts';
import type { Failure } from '../../../ui/failure.ts';
import { FailureNote } from '../../../ui/feedback.tsx';
import { counted } from '../../../ui/words.ts';
import type { Progressing } from './collect-log.ts';

/** The dialog; closing it ends the export. */
export function ExportDialog({
  progress,
  failure,
  close,
}: {
  readonly progress: Progressing;
  readonly failure: Failure | null;
  readonly close: () => void;
}): ReactNode {
  useOpenDialog();
  return (
    <Modal opened onClose={close} title="Exporting the log">
      <p className="numbers">{counted(progress.rows, 'row')} so far</p>
      <Progress value={progress.part * 100} aria-label="Progress of the export" color="gray" />
      {failure && <FailureNote failure={failure} />}
      <Button mt="md" variant="default" onClick={close}>
        {failure ? 'Close' : 'Cancel'}
      </Button>
    </Modal>
  );
}
