import { afterAll, vi } from 'vitest';
import { endCommands } from '../processes/cli.ts';
import { endGateways } from '../processes/gateway.ts';

// A first start makes a database, which takes three seconds on an idle machine and many times that on a busy one.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

// Said before the hooks of a file, so that it runs after them, whatever its tests did.
afterAll(async () => {
  endCommands();
  await endGateways();
});
