/** Files of this user, of mode 0600: gateways elsewhere by names of the user's own, with their tokens, and secrets. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { codeOf, readOrCreateSecret, readSecret } from '../../db/data-dir/data-dir.ts';
import { readPrivateJson, writePrivateJson } from '../../db/data-dir/private-file.ts';
import { Refusal } from '../refusal.ts';

/** A gateway elsewhere. */
export interface Profile {
  /** Its origin, without a slash at its end. */
  readonly url: string;
  /** The operator's token, or one of an account. */
  readonly token: string;
  /** The area of a token of an account; absent: the token is the operator's. */
  readonly area?: string | undefined;
}

const FILE = 'profiles.json';

const CONTENT = z.record(z.string(), z.object({ url: z.string(), token: z.string(), area: z.string().optional() }));

const folder = (): string => join(homedir(), '.config', 'heliograph');

/** Every profile by its name; none where the file is missing. @throws Refusal where it is no such file: the next profile would take its place */
export function readProfiles(): Readonly<Record<string, Profile>> {
  const path = join(folder(), FILE);
  if (!existsSync(path)) return {};
  const read = CONTENT.safeParse(readPrivateJson(folder(), FILE));
  if (read.success) return read.data;
  throw new Refusal(null, `The file ${path} holds no profiles as "login" writes them. Mend it, or move it away.`);
}

/** The profile of a name. @throws Refusal where there is none */
export function profileOf(name: string): Profile {
  const profiles = readProfiles();
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile) return profile;
  const known = Object.keys(profiles).join(', ') || 'none';
  throw new Refusal(
    'not_found',
    `There is no profile ${name} (there is: ${known}).`,
    undefined,
    [],
    `login <url> --profile ${name}`,
  );
}

/** Keeps a profile, in the place of one with its name; null forgets it. @throws Refusal where the folder cannot be written */
export function keepProfile(name: string, profile: Profile | null): void {
  const { [name]: _former, ...others } = readProfiles();
  writePrivateJson(makeFolder(), FILE, profile === null ? others : { ...others, [name]: profile });
}

/** A secret of this user, made where there is none. In the data directory a file of another user would stop the next start of the gateway. @throws Refusal */
export function keptSecret(name: string, make: () => string): string {
  // One that is kept already is read, also where nothing can be written.
  return readSecret(folder(), name) ?? readOrCreateSecret(makeFolder(), name, make);
}

function makeFolder(): string {
  const path = folder();
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK);
    return path;
  } catch (error) {
    const message = `Profiles and secrets are kept in ${path}, which cannot be written (${codeOf(error)}).`;
    throw new Refusal(null, `${message} Mend that, or set HOME to another folder.`, error);
  }
}
