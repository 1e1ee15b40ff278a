/** The documents of the REST facade, as they are in its folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../src/rest/operations');

/** Every document of the facade, by its name. */
export function operationDocuments(): [name: string, text: string][] {
  return readdirSync(FOLDER).map(file => [file, readFileSync(join(FOLDER, file), 'utf8')]);
}
