import { resolve } from 'node:path';

/** The root of the project. */
export const REPOSITORY = resolve(import.meta.dirname, '../..');
