/** Saves all that is held of a person, and erases it. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { ask } from '../../api/ask.ts';
import { useChange } from '../../api/hooks.ts';
import {
  EraseRecipientDocument,
  ExportRecipientDocument,
  type ExportRecipientQuery,
} from '../../api/operations.generated.ts';
import { saveFile } from '../../ui/copy/save-file.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { Failure } from '../../ui/failure.ts';
import { FailureNote } from '../../ui/feedback.tsx';
import { nameOf, type Person } from './words.ts';

/** How far the file is indented. */
const INDENT = 2;

/** All that is held of a number, as the text of a file. */
async function collect(to: string): Promise<string> {
  const records: unknown[] = [];
  for (let cursor: string | null = null; ; ) {
    const answer: ExportRecipientQuery = await ask(ExportRecipientDocument, { to, cursor });
    const page = answer.exportRecipient;
    records.push(...page.records);
    cursor = page.nextCursor;
    if (cursor === null) return JSON.stringify({ to: page.to, addresses: page.addresses, records }, null, INDENT);
  }
}

/** The button that saves all that is held of a person. */
export function ExportPerson({ number }: { readonly number: string }): ReactNode {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      const text = await collect(`+${number}`);
      saveFile(new Blob([text], { type: 'application/json' }), `heliograph-person-${number}.json`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button variant="default" size="compact-sm" loading={isBusy} onClick={() => void save()}>
        Export
      </Button>
      {failure && <FailureNote failure={failure} />}
    </>
  );
}

/** Asks before a person is erased. */
export function Erase({ person, close }: { readonly person: Person; readonly close: () => void }): ReactNode {
  const erase = useChange(EraseRecipientDocument);
  const navigate = useNavigate();
  const number = person.addresses.find(({ kind }) => kind === 'NUMBER')?.value ?? person.to;
  return (
    <FormDialog
      title={`Erase ${nameOf(person)}`}
      button="Erase for good"
      failure={erase.error}
      isBusy={erase.isPending}
      isDangerous
      close={close}
      submit={() => erase.mutate({ to: `+${number}` }, { onSuccess: () => void navigate('/inbox') })}
    >
      <p style={{ margin: 0 }}>
        Their numbers, ids, names and texts are removed from messages, the log, what came in, webhooks, notes and the
        phones of the sandbox. A passcode that is still valid ends. This cannot be undone.
      </p>
      <p style={{ margin: 0 }}>
        The log still has when something was sent, over which channel, at what price and how it ended, but not to whom.
        A person who asked for no more messages still gets none.
      </p>
    </FormDialog>
  );
}
