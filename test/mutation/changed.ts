/** Sources that are others than on the disk, by their paths. The config of the tests is loaded apart, so the process holds them. */
const KEY = Symbol.for('heliograph.mutation');

const held = globalThis as { [KEY]?: Map<string, string> };
held[KEY] ??= new Map();

/** The texts of changed sources. */
export const changed: Map<string, string> = held[KEY];
