/** The present minute. */
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';

const MINUTE_MS = 60_000;

/** When the present minute began, in milliseconds since 1970: what is counted up to now is counted anew as it changes. */
export function useMinute(): number {
  const present = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const [minute, setMinute] = useState(present);
  useInterval(() => setMinute(present()), 5_000, { autoInvoke: true });
  return minute;
}
