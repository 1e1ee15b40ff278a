/** A secret as an app takes it: by the camera, or typed. */
import encodeQR from 'qr';
import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy/copy.tsx';
import styles from './sign-in.module.css';

/** The modules that a reader needs around the code (ISO 18004, 6.3.8). */
const MARGIN = 4;

/** The QR code of `uri`, and the secret in groups of four. */
export function SecretCode({ uri, secret }: { readonly uri: string; readonly secret: string }): ReactNode {
  const rows = encodeQR(uri, 'raw', { ecc: 'medium', border: MARGIN });
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <div className={styles.secret}>
      <svg
        role="img"
        aria-label="QR code of the secret"
        viewBox={`0 0 ${rows.length} ${rows.length}`}
        shapeRendering="crispEdges"
      >
        {/* Readers want dark on light, whatever the page looks like. */}
        <rect width="100%" height="100%" fill="#fff" />
        <path d={path} fill="#000" />
      </svg>
      <p>Scan it with the app, or type:</p>
      <p className={styles.typed}>
        <code>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        <CopyButton text={secret} label="Copy the secret" />
      </p>
    </div>
  );
}
