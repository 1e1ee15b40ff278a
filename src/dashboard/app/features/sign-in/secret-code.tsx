/** A secret as an app takes it: by the camera, or typed. */
import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy/copy.tsx';
import { QrPicture } from '../../ui/qr/qr-picture.tsx';
import styles from './sign-in.module.css';

/** The QR code of `uri`, and the secret in groups of four. */
export function SecretCode({ uri, secret }: { readonly uri: string; readonly secret: string }): ReactNode {
  return (
    <div className={styles.secret}>
      <QrPicture text={uri} label="QR code of the secret" />
      <p>Scan it with the app, or type:</p>
      <p className={styles.typed}>
        <code>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        <CopyButton text={secret} label="Copy the secret" />
      </p>
    </div>
  );
}
