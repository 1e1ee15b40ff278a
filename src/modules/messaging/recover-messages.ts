/** The verb *recover messages*: ends what a dead process left, so that everything that was accepted comes to a definite state. */
import type { Ctx } from '../../context.ts';
import { recoverSends } from '../routing/recovery/recover.ts';
import { MESSAGE } from './message-kind.ts';

/** Takes the messages whose lease is over, and goes on with each. Answers how many were taken. */
export function recoverMessages(ctx: Ctx): Promise<number> {
  return recoverSends(ctx, MESSAGE);
}
