/** The documents of the REST facade and of the pages, as they are in their folders. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.ts';

const FOLDERS = ['rest/operations', 'dashboard'].map(folder => join(REPOSITORY, 'src', folder));

/** Every document of the facade and the pages, by its name. */
export function operationDocuments(): [name: string, text: string][] {
  return FOLDERS.flatMap(folder =>
    readdirSync(folder)
      .filter(file => file.endsWith('.graphql'))
      .map((file): [string, string] => [file, readFileSync(join(folder, file), 'utf8')]),
  );
}
