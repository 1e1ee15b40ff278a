/** Delivery receipts of sandbox phones: for a text that came, and for the next one. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import {
  OrderReceiptDocument,
  ReportTextDocument,
  type SandboxOutcome,
  type Status as SendStatus,
} from '../../api/operations.generated.ts';
import { FailureNote } from '../../ui/feedback.tsx';
import styles from './phones.module.css';

/** How much later a receipt comes that is delayed, in seconds. */
const DELAY_SECONDS = 30;

/** The choices for the receipt of the next text. */
const ORDERS: readonly {
  readonly name: string;
  readonly about: string;
  readonly outcome?: SandboxOutcome;
  readonly delaySeconds?: number;
}[] = [
  { name: 'Deliver', about: 'The next text is reported as delivered.', outcome: 'DELIVERED' },
  { name: 'Fail', about: 'The next text is reported as failed.', outcome: 'FAILED' },
  {
    name: `Delay by ${DELAY_SECONDS} s`,
    about: `The next text is reported as delivered ${DELAY_SECONDS} s later than usual.`,
    outcome: 'DELIVERED',
    delaySeconds: DELAY_SECONDS,
  },
  { name: 'Hold', about: 'Nothing is reported of the next text until you do so at its bubble.' },
];

/** The bar that sets the receipt of the next text of a phone. The thread mounts the bar anew once that text came. */
export function NextReceipt({ phone }: { readonly phone: string }): ReactNode {
  const order = useChange(OrderReceiptDocument);
  const { outcome, delaySeconds } = order.variables ?? {};
  const ordered =
    order.isSuccess && ORDERS.find(one => one.outcome === outcome && one.delaySeconds === delaySeconds)?.about;
  return (
    <fieldset className={styles.next} aria-label="Receipt of the next text">
      <span className="quiet">Next text</span>
      {ORDERS.map(({ name, about, ...rest }) => (
        <Button
          key={name}
          variant="default"
          size="compact-xs"
          title={about}
          onClick={() => order.mutate({ to: `+${phone}`, ...rest })}
        >
          {name}
        </Button>
      ))}
      <span role="status" className={styles.ordered}>
        {ordered}
      </span>
      {order.error && <FailureNote failure={order.error} />}
    </fieldset>
  );
}

/** The receipts that a phone can still report, by the status of the send: a status only rises. */
const REPORTS: Readonly<Partial<Record<SendStatus, readonly (readonly [string, SandboxOutcome])[]>>> = {
  SENT: [
    ['Deliver', 'DELIVERED'],
    ['Fail', 'FAILED'],
  ],
  DELIVERED: [['Open', 'READ']],
};

/** The buttons at a text that came. */
export function Reports({ textId, status }: { readonly textId: string; readonly status: SendStatus }): ReactNode {
  const report = useChange(ReportTextDocument);
  return (
    <>
      {REPORTS[status]?.map(([name, outcome]) => (
        <Button
          key={outcome}
          variant="subtle"
          color="gray"
          size="compact-xs"
          title={`Lets the phone report it as ${outcome === 'READ' ? 'opened' : outcome.toLowerCase()}`}
          onClick={() => report.mutate({ id: textId, outcome })}
        >
          {name}
        </Button>
      ))}
      {report.error && <FailureNote failure={report.error} />}
    </>
  );
}
