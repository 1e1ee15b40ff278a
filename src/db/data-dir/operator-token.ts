/** The operator's token in the data directory, if no setting gives one. */
import { newSecretKey, operatorTokenFault } from '../../kernel/crypto/secrets.ts';
import { readOrCreateSecret, readSecret } from './data-dir.ts';

const TOKEN_FILE = 'operator.token';

/** Reads or creates the operator's token. @throws StartError if the file is unusable, or the token too weak */
export function readOrCreateOperatorToken(dataDir: string): string {
  return readOrCreateSecret(dataDir, TOKEN_FILE, newSecretKey, faultOf);
}

/** The operator's token, or null if there is no file. @throws StartError if it cannot be read, or is too weak */
export function readOperatorToken(dataDir: string): string | null {
  return readSecret(dataDir, TOKEN_FILE, faultOf);
}

function faultOf(token: string): string | null {
  const fault = operatorTokenFault(token);
  return fault === null ? null : `${fault}, or delete it to have a new one made`;
}
