/** A text as a QR code, for the camera of a phone. */
import encodeQR from 'qr';
import type { ReactNode } from 'react';
import styles from './qr.module.css';

/** The modules that a reader needs around the code (ISO 18004, 6.3.8). */
const MARGIN = 4;

/** The picture; `label` says what it is of. */
export function QrPicture({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: MARGIN });
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      className={styles.picture}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
    >
      {/* Readers want dark on light, whatever the page looks like. */}
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
