/**
 * The secrets of a process, given or generated into the data directory. A generated secret key becomes `secret.key` only when the database has taken it: where that
 * file was lost, a new one must not look as if it were right.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { decodeSecretKey, newSecretKey } from '../../kernel/crypto/secrets.ts';
import { StartError } from '../../kernel/process/start-error.ts';
import { dataDirFault, prepareDataDir, readOrCreateSecret } from './data-dir.ts';
import { readOrCreateOperatorToken } from './operator-token.ts';

const KEY_FILE = 'secret.key';
const NEW_KEY_FILE = 'secret.key.new';

/** A secret key, and what to do when the database has taken or refused it. */
export interface SecretKeySource {
  readonly key: Uint8Array;
  /** Whether it is kept in the data directory rather than given as a setting. */
  readonly isGenerated: boolean;
  /** Keeps a key that is new. @throws StartError where the directory cannot be written. */
  keep(): void;
  /** Takes away a key that is new. */
  drop(): void;
}

/** The settings that secrets are taken from. */
export interface SecretSettings {
  readonly dataDir: string;
  readonly secretKey: Uint8Array | null;
  readonly operatorToken: string | null;
  readonly production: boolean;
}

/**
 * Makes the data directory and what is missing in it, and answers the secrets; the operator token is null where its fields are closed.
 * @throws StartError where the directory cannot be used.
 */
export function prepareSecrets({ dataDir, secretKey, operatorToken, production }: SecretSettings): {
  readonly operatorToken: string | null;
  readonly secretKey: SecretKeySource;
} {
  prepareDataDir(dataDir);
  return {
    secretKey: secretKey ? givenKey(secretKey) : generatedKey(dataDir),
    operatorToken: operatorToken ?? (production ? null : readOrCreateOperatorToken(dataDir)),
  };
}

function givenKey(key: Uint8Array): SecretKeySource {
  return { key, isGenerated: false, keep: () => undefined, drop: () => undefined };
}

/**
 * The key in the data directory, or a new one beside its place. Processes that start at once get the same one.
 * @throws StartError where it cannot be read or written, or is no key.
 */
function generatedKey(dataDir: string): SecretKeySource {
  const [path, newPath] = [join(dataDir, KEY_FILE), join(dataDir, NEW_KEY_FILE)];
  const drop = (): void => fs.rmSync(newPath, { force: true });
  const read = (name: string): SecretKeySource => {
    const key = decodeSecretKey(readOrCreateSecret(dataDir, name, newSecretKey));
    if (typeof key === 'string')
      throw new StartError(`The file ${name} in the data directory does not hold 32 random bytes in base64.`);
    return { key, isGenerated: true, keep: () => undefined, drop: () => undefined };
  };
  if (fs.existsSync(path)) return read(KEY_FILE);
  const { key } = read(NEW_KEY_FILE);
  // Another process may have kept its key since: that is the one of both.
  if (fs.existsSync(path)) {
    drop();
    return read(KEY_FILE);
  }
  return { key, isGenerated: true, keep: () => keepNew(dataDir, newPath, path), drop };
}

function keepNew(dataDir: string, newPath: string, path: string): void {
  try {
    fs.renameSync(newPath, path);
  } catch (error) {
    // Another process with the same key was first.
    if (!fs.existsSync(path)) throw dataDirFault(dataDir, error);
  }
}
