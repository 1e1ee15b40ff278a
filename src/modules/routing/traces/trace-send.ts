/** Spans of a send. Each step of a routing begins its own, where traces are on. */
import type { Ctx } from '../../../context.ts';
import { AppError } from '../../../kernel/errors.ts';
import { markFailed, note, type Span } from '../../../observability/traces/traces.ts';
import type { ChannelAttempt } from '../attempt.entity.ts';
import type { Resumable } from '../send-kind.ts';

/** The name of a send's span: a message, an OTP, or one more send of the same OTP. */
type SendName = 'send message' | 'send otp' | 'resend otp';

/** Runs a send within its span, linked with that of its request. */
export function tracedSend<Result extends { readonly id: string; readonly status: string }>(
  ctx: Ctx,
  name: SendName,
  send: Resumable,
  run: () => Promise<Result>,
): Promise<Result> {
  const { traces } = ctx.services;
  if (traces === null) return run();
  const { id, accountId, channels, deliveryMode } = send;
  const own = { send_id: id, account_id: accountId, channels, delivery_mode: deliveryMode };
  const facts = { own, request: ctx.request };
  const span = name === 'resend otp' ? traces.begin(id, name, facts) : traces.beginSend(id, name, facts);
  return endWith(span, run(), ({ id: answered, status }) => {
    note(span, { status, replay_of: answered === id ? null : answered });
    if (status === 'failed') markFailed(span, 'all_channels_failed');
  });
}

/** Runs a step of a send within a span: the batch that accepts it, or one that settles a step of its routing. */
export function tracedStep<Result>(
  { services: { traces } }: Ctx,
  name: 'accept' | 'settle',
  { id }: Pick<Resumable, 'id'>,
  run: () => Promise<Result>,
): Promise<Result> {
  return traces === null ? run() : endWith(traces.begin(id, name), run());
}

async function endWith<Result>(span: Span, running: Promise<Result>, told?: (result: Result) => void): Promise<Result> {
  try {
    const result = await running;
    told?.(result);
    return result;
  } catch (error) {
    markFailed(span, error instanceof AppError ? error.code : 'internal_error');
    throw error;
  } finally {
    span.end();
  }
}

/** Begins the span of an attempt, which asks a provider; null: traces are off. */
export function beginAttemptSpan({ services: { traces } }: Ctx, sendId: string, attempt: ChannelAttempt): Span | null {
  if (traces === null) return null;
  const { id, channel, provider, connectionId, country, resend } = attempt;
  const own = { attempt_id: id, channel, provider, connection_id: connectionId, country, resend };
  return traces.begin(sendId, `attempt ${channel}`, { own, isCall: true });
}

/** Ends the span of an attempt. The provider's code and words stay out: some repeat the number or the text. */
export function endAttemptSpan(span: Span, { status }: ChannelAttempt): void {
  note(span, { status });
  if (status !== 'sent') markFailed(span, status);
  span.end();
}
