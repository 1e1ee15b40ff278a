/** The form on the left, and beside it what would happen and what did. */
import { Button, Modal, Tabs } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { CHANNEL_FACTS } from '../../api/channels.generated.ts';
import type { Failure } from '../../ui/failure.ts';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Section } from '../../ui/page.tsx';
import { SamplesMenu } from '../../ui/samples-menu.tsx';
import { counted, phoneWord } from '../../ui/words.ts';
import { ChannelList } from './channel-list.tsx';
import type { Draft, Kind, Sender } from './draft.ts';
import { DryRun } from './dry-run.tsx';
import { faultWord, useFaults } from './faults.ts';
import { MessageFields, OtpFields, Recipient } from './fields.tsx';
import { Result } from './result/result.tsx';
import { askedOf } from './samples.ts';
import styles from './send.module.css';
import { useDraft } from './use-draft.ts';
import { type PreviewState, usePreview } from './use-preview.ts';
import { type Sending, useSending } from './use-sending.ts';

/** The page's two columns. */
export function Composer({ senders }: { readonly senders: readonly Sender[] }): ReactNode {
  const [draft, setDraft] = useDraft(senders);
  const state = usePreview(draft);
  const sending = useSending(draft);
  const faults = useFaults(sending.failure, state.failure);
  const form = useFocusOnFault(sending.failure);
  const change = (parts: Partial<Draft>): void => {
    sending.forget();
    setDraft(parts);
  };
  const part = { draft, change, faults };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    sending.start();
  };
  return (
    <Tabs value={draft.kind} onChange={kind => change({ kind: kind as Kind })} keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="message">Message</Tabs.Tab>
        <Tabs.Tab value="otp">One-time passcode</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value={draft.kind}>
        <div className={styles.columns}>
          <form ref={form} onSubmit={submit} onKeyDown={sendByKey} noValidate>
            <Recipient {...part} />
            <ChannelList {...part} senders={senders} state={state} />
            {draft.kind === 'message' ? (
              <MessageFields {...part} preview={state.preview} />
            ) : (
              <OtpFields {...part} preview={state.preview} />
            )}
            {faults.rest && <FailureNote failure={faults.rest} />}
            <SendButtons draft={draft} state={state} sending={sending} />
          </form>
          <div>
            {sending.sent?.kind === draft.kind && (
              <div key={sending.sent.id} ref={showOnce} className={styles.result}>
                <Result sent={sending.sent} />
              </div>
            )}
            <WouldHappen draft={draft} state={state} />
          </div>
        </div>
        <Confirmation sending={sending} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** Scrolls a new result into sight: on a phone it stands below the form. */
function showOnce(result: HTMLElement | null): void {
  result?.scrollIntoView({ block: 'nearest' });
}

/** Ctrl or ⌘ with Enter sends from a text of several lines too. */
function sendByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
}

/** After a refusal the focus goes to the first input that is at fault. */
function useFocusOnFault(failure: Sending['failure']) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (failure) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure]);
  return form;
}

function SendButtons({
  draft,
  state,
  sending,
}: {
  readonly draft: Draft;
  readonly state: PreviewState;
  readonly sending: Sending;
}): ReactNode {
  return (
    <div className={styles.buttons}>
      <Button type="submit" size="sm" loading={sending.isBusy}>
        Send{costWord(state, draft.isAll)}
      </Button>
      <SamplesMenu asked={askedOf(draft)} />
    </div>
  );
}

/** ` – 2 credits`; nothing where it costs none, or it is not known. */
function costWord({ preview }: Pick<PreviewState, 'preview'>, isAll: boolean): string {
  if (!preview || preview.credits === 0) return '';
  const [first] = preview.legs;
  const isSure = isAll || (first && CHANNEL_FACTS[first.channel].isPaid);
  return ` – ${isSure ? '' : 'at most '}${counted(preview.credits, 'credit')}`;
}

function WouldHappen({ draft, state }: { readonly draft: Draft; readonly state: PreviewState }): ReactNode {
  const { preview, isAddressed } = state;
  return (
    <Section title="Dry run">
      {preview && isAddressed ? (
        <DryRun preview={preview} draft={draft} />
      ) : (
        <Missing draft={draft} failure={state.failure} />
      )}
    </Section>
  );
}

/** Names the input that the dry run still needs, or the faults that make the gateway refuse the draft. */
function Missing({ draft, failure }: { readonly draft: Draft; readonly failure: Failure | null }): ReactNode {
  const { kind, to, text, channels } = draft;
  if (channels.length === 0) return <p className="quiet">Add a channel to see who would take it.</p>;
  if (to.trim() === '') return <p className="quiet">Give a recipient to see who would take it, and why.</p>;
  if (kind === 'message' && text === '')
    return <p className="quiet">Write a text to see who would take it, and why.</p>;
  if (!failure) return <Loading lines={2} />;
  const faults = failure.faults.map(faultWord);
  return (
    <div className="quiet">
      <p>It would be refused:</p>
      <ul className={styles.refused}>
        {(faults.length > 0 ? faults : [failure.message]).map(word => (
          <li key={word}>{word}</li>
        ))}
      </ul>
    </div>
  );
}

/** Asks before something goes to a real phone. */
function Confirmation({ sending }: { readonly sending: Sending }): ReactNode {
  const { asking, confirm, cancel } = sending;
  return (
    <Modal opened={asking !== null} onClose={cancel} title={`Send to ${phoneWord(asking?.preview.recipient ?? '')}?`}>
      {asking && (
        <>
          <DryRun {...asking} />
          <p>It goes to a real phone and cannot be taken back.</p>
          <div className={styles.confirm}>
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <Button data-autofocus onClick={confirm}>
              Send{costWord(asking, asking.draft.isAll)}
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}
