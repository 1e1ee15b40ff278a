/** The fields of a fallback in time, which messages and passcodes share (contract §14). */
import type { SuccessStatus } from '../kernel/status.ts';
import type { Types } from './builder.ts';
import { SuccessStatusEnum } from './enums.ts';

interface Timed {
  readonly fallbackAfter?: number | null | undefined;
  readonly successStatus?: SuccessStatus | null | undefined;
}

/** The fields, as a send keeps them. */
export function timedFallback<Row extends Timed>(t: PothosSchemaTypes.ObjectFieldBuilder<Types, Row>) {
  return {
    fallbackAfter: t.field({
      type: 'PositiveInt',
      nullable: true,
      description:
        'Seconds after which the next channel follows one that accepted and has not reached `successStatus`; null: none follows.',
      resolve: send => send.fallbackAfter,
    }),
    successStatus: t.field({
      type: SuccessStatusEnum,
      nullable: true,
      description: 'The status that an accepted channel has to reach in time; null where `fallbackAfter` is.',
      resolve: send => send.successStatus,
    }),
  };
}
