/** The operator's token in the data directory, for gateways and commands that are given none. */
import { newSecretKey, operatorTokenFault } from '../../kernel/crypto/secrets.ts';
import { readOrCreateSecret, readSecret } from './data-dir.ts';

const TOKEN_FILE = 'operator.token';

/** The operator's token; the first caller makes it. @throws StartError where the file cannot be read or written, or is too weak a token */
export function readOrCreateOperatorToken(dataDir: string): string {
  return readOrCreateSecret(dataDir, TOKEN_FILE, newSecretKey, faultOf);
}

/** The operator's token, or null where there is no file. @throws StartError where it cannot be read, or is too weak a token */
export function readOperatorToken(dataDir: string): string | null {
  return readSecret(dataDir, TOKEN_FILE, faultOf);
}

function faultOf(token: string): string | null {
  const fault = operatorTokenFault(token);
  return fault === null ? null : `${fault}, or delete it to have a new one made`;
}
