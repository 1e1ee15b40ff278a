/** The mount table: every documented path, and the operation that stands behind it. */
import type { Route } from './mount.ts';
import { logRoutes } from './routes/logs.ts';
import { messageRoutes } from './routes/messages.ts';
import { otpRoutes } from './routes/otp.ts';
import { plantRoutes } from './routes/plants.ts';

/** Every route of the facade. */
export const routes: readonly Route[] = [...messageRoutes, ...otpRoutes, ...logRoutes, ...plantRoutes];
