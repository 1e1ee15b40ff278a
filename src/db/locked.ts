/** How an entity is found that is to be changed. */
import { LockMode } from '@mikro-orm/core';

/** Locked, and as it is then: the unit of work may have read it before it had the lock. */
export const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
