/** The timeline of a message or an OTP, step by step. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { channelWord } from '../../api/channels.ts';
import type { StepFragment, TimelineKind } from '../../api/operations.generated.ts';
import { meaningOf } from '../../ui/status.tsx';
import { duration, exactWord } from '../../ui/times.tsx';
import { counted, plainWord } from '../../ui/words.ts';
import styles from './timeline.module.css';

/** The names of steps; other steps are called by their status, or their kind. */
const NAMES: Readonly<Partial<Record<TimelineKind, string>>> = {
  ACCEPTED: 'accepted',
  CHANNEL_SKIPPED: 'skipped',
  ATTEMPT_STARTED: 'asked',
  WAITING: 'waiting',
  VERIFIED: 'verified',
  WRONG_CODE: 'wrong code',
  BLOCKED: 'blocked',
  EXPIRED: 'expired',
  FLAGGED: 'flagged',
  RESENT: 'sent again',
};

/** The meaning of a step that has no status of its own. */
const MEANINGS: Readonly<Partial<Record<TimelineKind, string>>> = {
  VERIFIED: 'delivered',
  WRONG_CODE: 'failed',
  BLOCKED: 'failed',
  EXPIRED: 'unknown',
  FLAGGED: 'unknown',
  CHANNEL_SKIPPED: 'unknown',
};

/** The steps, oldest first. */
export function Timeline({ steps }: { readonly steps: readonly StepFragment[] }): ReactNode {
  return (
    <ol className={styles.timeline} aria-label="Timeline">
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only added at the end
        <Step key={index} step={step} />
      ))}
    </ol>
  );
}

function Step({ step }: { readonly step: StepFragment }): ReactNode {
  const { kind, status, webhook } = step;
  const meaning = MEANINGS[kind] ?? (status ? meaningOf(status) : 'pending');
  return (
    <li style={{ color: `var(--${meaning})` }}>
      <time dateTime={step.at} title={exactWord(step.at)}>
        {duration(step.sinceMs)}
      </time>
      <div>
        <p>
          <strong>{nameOf(step)}</strong>
          <span>
            {webhook
              ? webhook.urlHost
              : [step.channel && channelWord(step.channel), via(step)].filter(Boolean).join(' via ')}
          </span>
        </p>
        <p className={styles.reason}>{step.reason}</p>
        <p className={styles.facts}>
          {step.errorCode && (
            <Link to={`/errors#${step.errorCode}`}>
              <code>{step.errorCode}</code>
            </Link>
          )}
          {kind === 'ATTEMPT_ENDED' && step.durationMs !== null && <span>{duration(step.durationMs)}</span>}
          {kind === 'ATTEMPT_ENDED' && (step.credits ?? 0) > 0 && <span>{counted(step.credits ?? 0, 'credit')}</span>}
          {step.providerMessageId && <code>{step.providerMessageId}</code>}
          {step.skipped.map(({ connectionId, name, verdict, reason }) => (
            <span key={connectionId} title={reason ?? undefined}>
              {name}: {plainWord(verdict)}
            </span>
          ))}
          {webhook && (
            <Link to={`/webhooks/${webhook.endpointId}?delivery=${webhook.deliveryId}`}>Open the delivery</Link>
          )}
          {webhook && webhook.durationMs !== null && <span>{duration(webhook.durationMs)}</span>}
        </p>
      </div>
    </li>
  );
}

function nameOf({ kind, status }: StepFragment): string {
  if (kind === 'WEBHOOK') return 'webhook';
  return NAMES[kind] ?? (status ? plainWord(status) : plainWord(kind));
}

function via({ provider, connection }: StepFragment): string {
  return [provider, connection?.name].filter(Boolean).join('/');
}
