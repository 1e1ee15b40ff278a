/** The first hour as a list that ticks itself. The list goes away once every step is done, or somebody hides it. */
import { CloseButton, VisuallyHidden } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import { FirstStepsDocument } from '../../api/operations.generated.ts';
import { useRights, useViewer } from '../../frame/session/session.tsx';
import { useHasRead } from '../../frame/unread/use-seen.ts';
import { Icon } from '../../ui/icons.tsx';
import styles from './overview.module.css';

interface Step {
  readonly name: string;
  readonly about: string;
  readonly to: string;
  readonly isDone: boolean;
}

/** The list; nothing once it is done, nor for a viewer, who may take no step of it. `hasVerified` undefined: it is not known yet. */
export function FirstSteps({ hasVerified }: { readonly hasVerified: boolean | undefined }): ReactNode {
  const { account } = useViewer();
  const { mayChange } = useRights();
  const [isHidden, hide] = useLocalStorage({ key: 'heliograph:first-steps-hidden', defaultValue: false });
  const hasRead = useHasRead();
  const withWebhooks = account?.unifiedApi === true && !isOver(account.planExpiresAt);
  const { data } = useAnswer(FirstStepsDocument, { withWebhooks }, { enabled: mayChange && !isHidden });
  if (!mayChange || isHidden || !data || hasVerified === undefined) return null;
  const phone = data.sent.nodes[0]?.recipient ?? '';
  const steps: Step[] = [
    {
      name: 'Use a token',
      about: 'Create one to call the API.',
      to: '/tokens',
      isDone: data.tokens.some(({ lastUsedAt }) => lastUsedAt !== null),
    },
    {
      name: 'Send a message',
      about: 'To a phone of the sandbox: no real phone is reached.',
      to: '/send',
      isDone: data.sent.nodes.length > 0,
    },
    {
      name: 'See it arrive',
      about: 'The page Sandbox phones shows what its phones received.',
      to: phone ? `/phones/${phone}` : '/phones',
      isDone: hasRead,
    },
    {
      name: 'Verify a code',
      about: 'Send a passcode, read it on its phone, verify it.',
      to: '/send?kind=otp',
      isDone: hasVerified,
    },
    ...(withWebhooks
      ? [
          {
            name: 'Add a webhook',
            about: 'Your software is told of each delivery.',
            to: '/webhooks/new',
            isDone: (data.webhookEndpoints?.total ?? 0) > 0,
          },
        ]
      : []),
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return (
    <section className={styles.steps} aria-label="First steps">
      <header>
        <h2>First steps</h2>
        <span className="quiet numbers">
          {done} of {steps.length}
        </span>
        <CloseButton size="sm" aria-label="Hide the first steps" onClick={() => hide(true)} />
      </header>
      <ol>
        {steps.map(({ name, about, to, isDone }) => (
          <li key={name} data-done={isDone || undefined}>
            <Link to={to}>
              <span className={styles.tick}>{isDone && <Icon name="check" size={12} />}</span>
              <span>
                <strong>{name}</strong>
                {isDone && <VisuallyHidden> (done)</VisuallyHidden>}
                <small>{about}</small>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}

function isOver(planExpiresAt: string | null): boolean {
  return planExpiresAt !== null && Date.parse(planExpiresAt) <= Date.now();
}
