/** Look-ups by names that callers choose. */

/** The value of a table under a name. Names like `constructor`, which every object inherits, are not in it. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
