/** The actions on a passcode that was sent: verify its code, or send it again. */
import { Button, TextInput } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useChange } from '../../../api/hooks.ts';
import { ResendOtpDocument, type SentOtpQuery, VerifyOtpDocument } from '../../../api/operations.generated.ts';
import { FailureNote } from '../../../ui/feedback.tsx';
import { counted } from '../../../ui/words.ts';
import styles from '../send.module.css';

type Otp = NonNullable<SentOtpQuery['otp']>;

/** The box for the code, and the button beside it. Nothing where the passcode is over. */
export function OtpActions({ otp }: { readonly otp: Otp }): ReactNode {
  const now = useNow();
  const resend = useChange(ResendOtpDocument);
  const leftMs = Date.parse(otp.expiresAt) - now;
  if (otp.status !== 'SENT' && otp.status !== 'PENDING') return null;
  if (leftMs <= 0) return <p className="quiet">It has expired.</p>;
  const againMs = otp.resendAvailableAt ? Date.parse(otp.resendAvailableAt) - now : null;
  return (
    <div className={styles.otp}>
      <VerifyBox otp={otp} />
      <p className="quiet numbers">
        {counted(otp.attemptsRemaining, 'try', 'tries')} left · ends in {clock(leftMs)}
      </p>
      {againMs !== null && (
        <Button
          variant="default"
          loading={resend.isPending}
          disabled={againMs > 0}
          onClick={() => resend.mutate({ input: { pinId: otp.pinId } })}
        >
          <span className="numbers">Send it again{againMs > 0 && ` in ${clock(againMs)}`}</span>
        </Button>
      )}
      {resend.error && <FailureNote failure={resend.error} />}
    </div>
  );
}

function VerifyBox({ otp }: { readonly otp: Otp }): ReactNode {
  const [pin, setPin] = useState('');
  const verify = useChange(VerifyOtpDocument);
  const { error } = verify;
  const isAboutCode = error?.code === 'OTP_INCORRECT' || error?.faults.some(({ field }) => field === 'pin');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    verify.mutate({ input: { pinId: otp.pinId, pin } });
  };
  return (
    <>
      <form className={styles.verify} onSubmit={submit}>
        <TextInput
          label="Code"
          placeholder={'0'.repeat(6)}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={pin}
          onChange={event => {
            setPin(event.currentTarget.value.replaceAll(/\s/g, ''));
            if (error) verify.reset();
          }}
          error={isAboutCode ? (error?.faults[0]?.message ?? error?.message) : null}
        />
        <Button type="submit" loading={verify.isPending} disabled={pin === ''}>
          Verify
        </Button>
      </form>
      {error && !isAboutCode && <FailureNote failure={error} />}
    </>
  );
}

/** The time in milliseconds, told each second. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true });
  return now;
}

/** `4:05`. */
function clock(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
