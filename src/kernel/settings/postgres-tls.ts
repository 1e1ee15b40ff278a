/** Reads the TLS files of `DATABASE_URL`: certificate authorities, and this client's certificate and key. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContextOptions } from 'node:tls';
import type { Fault } from './config-error.ts';
import type { PostgresTls } from './postgres-url.ts';

/** Reads the files, anew for each connection, so that renewed certificates need no restart. `fault` is called with what is wrong. */
export function readTlsFiles(tls: PostgresTls, fault: Fault): SecureContextOptions {
  if (tls.mode === 'disable') return {};
  const read = (name: string, path: string): Buffer => {
    try {
      return readFileSync(path);
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? error.code : String(error);
      return fault(`DATABASE_URL: the file ${JSON.stringify(path)} of ${name} cannot be read (${why}).`);
    }
  };
  const { rootCertificate, client } = tls;
  const files: SecureContextOptions = {};
  if (rootCertificate === 'system') files.ca = systemAuthorities();
  else if (rootCertificate !== null) {
    files.ca = read('sslrootcert', rootCertificate);
    if (!isCertificate(files.ca))
      fault(`DATABASE_URL: the file ${JSON.stringify(rootCertificate)} of sslrootcert holds no certificate (PEM).`);
  }
  if (client === null) return files;
  files.cert = read('sslcert', client.certificate);
  files.key = read('sslkey', client.key);
  files.passphrase = client.password ?? '';
  try {
    createSecureContext(files);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    fault(`DATABASE_URL: the files of sslcert and sslkey are no certificate and its key (${why}).`);
  }
  return files;
}

function isCertificate(pem: Buffer): boolean {
  try {
    return new X509Certificate(pem).subject !== '';
  } catch {
    return false;
  }
}

/** A small container has no authorities of its own; Node's bundled ones are trusted then. */
function systemAuthorities(): string[] {
  const own = [...getCACertificates('system'), ...getCACertificates('extra')];
  return own.length > 0 ? own : getCACertificates('bundled');
}
