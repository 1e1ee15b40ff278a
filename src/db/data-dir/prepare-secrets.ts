/** The secrets of a process. A generated key is kept only when the database accepted it, so that it never hides the loss of the old one. */
import fs from 'node:fs';
import { join } from 'node:path';
import { decodeSecretKey, newSecretKey, operatorTokenFault } from '../../kernel/crypto/secrets.ts';
import { StartError } from '../../kernel/process/start-error.ts';
import { dataDirFault, prepareDataDir, readOrCreateSecret, readSecret } from './data-dir.ts';

const KEY_FILE = 'secret.key';
const NEW_KEY_FILE = 'secret.key.new';
const TOKEN_FILE = 'operator.token';

/** A secret key, with what to do when the database has accepted or refused it. */
export interface SecretKeySource {
  readonly key: Uint8Array;
  /** Whether it is in the data directory rather than a setting. */
  readonly isGenerated: boolean;
  /** Stores a new key. @throws StartError if the directory cannot be written */
  keep(): void;
  /** Deletes a new key. */
  drop(): void;
}

interface SecretSettings {
  readonly dataDir: string;
  readonly secretKey: Uint8Array | null;
  readonly operatorToken: string | null;
  readonly production: boolean;
}

/** Creates the data directory and missing secrets; a null operator token closes the operator's fields. @throws StartError */
export function prepareSecrets({ dataDir, secretKey, operatorToken, production }: SecretSettings): {
  readonly operatorToken: string | null;
  readonly secretKey: SecretKeySource;
} {
  prepareDataDir(dataDir);
  return {
    secretKey: secretKey ? givenKey(secretKey) : generatedKey(dataDir),
    operatorToken:
      operatorToken ?? (production ? null : readOrCreateSecret(dataDir, TOKEN_FILE, newSecretKey, tokenFault)),
  };
}

/** The operator's token in the data directory, or null. @throws StartError if it cannot be read, or is too weak */
export function readOperatorToken(dataDir: string): string | null {
  return readSecret(dataDir, TOKEN_FILE, tokenFault);
}

function tokenFault(token: string): string | null {
  const fault = operatorTokenFault(token);
  return fault === null ? null : `${fault}, or delete it to have a new one made`;
}

function givenKey(key: Uint8Array): SecretKeySource {
  return { key, isGenerated: false, keep: () => undefined, drop: () => undefined };
}

/** The key of the data directory, or a new one beside it, the same for processes that start together. @throws StartError */
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
  // If another process stored its key meanwhile, both use that one.
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
    // Another process with the same key renamed it first.
    if (!fs.existsSync(path)) throw dataDirFault(dataDir, error);
  }
}
