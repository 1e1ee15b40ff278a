/** Services, applications and accounts for the tests of a file. Hooks make them; tests and hooks read their members. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Database } from '../../src/db/orm.ts';
import { type Customer, createTestApp, type TestApp } from './app.ts';
import {
  createTestServices,
  makeAccount,
  openTestDatabase,
  type TestAccount,
  type TestServices,
  type TestServicesOptions,
} from './services.ts';

type AccountSeed = Parameters<typeof makeAccount>[1];

/** Makes something once for the tests of the file, or of the `describe`, that calls this, and ends it after them. */
export function oncePerFile<Made extends object>(make: () => Promise<Made>, end?: (made: Made) => unknown): Made {
  const latest = holdLatest<Made>();
  beforeAll(async () => latest.set(await make()));
  if (end) afterAll(async () => void (await end(latest.get())));
  return latest.it;
}

/** Makes something for each test of the file, or of the `describe`, that calls this, and ends it after the test. */
export function oncePerTest<Made extends object>(make: () => Promise<Made>, end?: (made: Made) => unknown): Made {
  const latest = holdLatest<Made>();
  beforeEach(async () => latest.set(await make()));
  if (end) afterEach(async () => void (await end(latest.get())));
  return latest.it;
}

/** Services on a database of their own. */
export function setUpServices(options?: TestServicesOptions): TestServices {
  const on = oncePerFile(
    () => createTestServices(options),
    services => services.close(),
  );
  // In a file that takes minutes it would lag behind the clocks of the machine and the database.
  beforeEach(() => on.clock.set(new Date()));
  return on;
}

/** The database of services as another process has it open. */
export function setUpOtherProcess(on: TestServices): Database {
  return oncePerFile(
    () => openTestDatabase(on.testDatabase),
    database => database.close(),
  );
}

/** An account for each test. */
export function setUpAccount(on: Parameters<typeof makeAccount>[0], seed?: AccountSeed): TestAccount {
  return oncePerTest(() => makeAccount(on, seed));
}

/** An account that the tests share. */
export function setUpSharedAccount(on: Parameters<typeof makeAccount>[0], seed?: AccountSeed): TestAccount {
  return oncePerFile(() => makeAccount(on, seed));
}

/** The whole application on a database of its own. */
export function setUpApp(options?: Parameters<typeof createTestApp>[0]): TestApp {
  return oncePerFile(
    () => createTestApp(options),
    on => on.close(),
  );
}

/** An account with a token of each area, which the tests share. */
export function setUpCustomer(on: TestApp, seed?: AccountSeed): Customer {
  return oncePerFile(() => on.customer(seed));
}

/** An account with a token of each area for each test. */
export function setUpOwnCustomer(on: TestApp, seed?: AccountSeed): Customer {
  return oncePerTest(() => on.customer(seed));
}

/** Something that stands for what was set last, so that it can be passed on before it is there. */
export function holdLatest<Made extends object>() {
  let made: Made | undefined;
  const get = (): Made => {
    if (!made) throw new Error('this is there in tests and hooks only');
    return made;
  };
  const it = new Proxy<Made>(Object.create(null), {
    get: (_none, key) => Reflect.get(get(), key),
    set: (_none, key, value) => Reflect.set(get(), key, value),
    has: (_none, key) => Reflect.has(get(), key),
    ownKeys: () => Reflect.ownKeys(get()),
    getOwnPropertyDescriptor: (_none, key) => {
      const found = Reflect.getOwnPropertyDescriptor(get(), key);
      // A proxy may show only members of its own target as not configurable.
      return found && { ...found, configurable: true };
    },
  });
  const set = (value: Made): void => {
    made = value;
  };
  return { it, get, set };
}
