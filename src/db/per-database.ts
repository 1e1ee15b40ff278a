/** Keeps one of a thing for each open database. */
import type { Database } from './orm.ts';

/** Makes a function that answers the one of a database. `make` makes it at the first call; it is forgotten with the database. */
export function perDatabase<One extends object>(make: (database: Database) => One): (database: Database) => One {
  const made = new WeakMap<Database, One>();
  return database => {
    let one = made.get(database);
    if (!one) {
      one = make(database);
      made.set(database, one);
    }
    return one;
  };
}
