/** The phone's part of linking a device: it scans the picture, or a code is typed into it. */
import type { Account, Device } from './accounts.ts';
import { bytesOf, childOf, node, SERVER } from './nodes.ts';
import type { KeyPair, Node, Packages } from './peer-library.ts';
import { lidOf } from './person.ts';

/** The fields of a picture. */
export function readPicture(qr: string): { readonly ref: string; readonly secret: Buffer } {
  const [ref = '', , , secret = ''] = qr.slice(qr.indexOf('#') + 1).split(',');
  return { ref, secret: Buffer.from(secret, 'base64') };
}

/** The phone's signature for a device, and the address that it gets. @param secret known to phone and device alone */
export function pairSuccess(packages: Packages, account: Account, device: Device, secret: Buffer): Node {
  const { Curve, hmacSign, proto } = packages.library;
  const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: 1, keyIndex: device.id }).finish();
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: account.keys.public,
    accountSignature: Curve.sign(
      account.keys.private,
      Buffer.concat([Buffer.from([6, 0]), details, device.registration.eIdent]),
    ),
  }).finish();
  const sealed = proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac: hmacSign(signed, secret) }).finish();
  return node('iq', { from: SERVER, type: 'set', id: 'pair-success' }, [
    node('pair-success', {}, [
      node('device-identity', {}, sealed),
      node('platform', { name: 'android' }),
      node('device', {
        jid: `${account.number}:${device.id}${SERVER}`,
        lid: `${lidOf(account.number)}:${device.id}@lid`,
      }),
    ]),
  ]);
}

/** A device that waits for its code to be typed. */
export interface CodeRequest {
  readonly number: string;
  /** The device's key, sealed by the code. */
  readonly sealed: Buffer;
}

/** Reads the request. Null: it is none. */
export function readCodeRequest(iq: Node): CodeRequest | null {
  const hello = childOf(iq, 'link_code_companion_reg');
  if (hello?.attrs.stage !== 'companion_hello') return null;
  const sealed = bytesOf(childOf(hello, 'link_code_pairing_wrapped_companion_ephemeral_pub'));
  return { number: /^\d+/.exec(hello.attrs.jid ?? '')?.[0] ?? '', sealed };
}

/** Types a code: the phone's key for the device, sealed by the same code. */
export async function typeCode(
  packages: Packages,
  account: Account,
  request: CodeRequest,
  code: string,
): Promise<{ readonly notification: Node; secretOf(finish: Node): Buffer }> {
  const { Curve, aesDecryptCTR, aesDecryptGCM, aesEncryptCTR, derivePairingCodeKey, hkdf } = packages.library;
  const { sealed } = request;
  const key = await derivePairingCodeKey(code, sealed.subarray(0, 32));
  const device = aesDecryptCTR(sealed.subarray(48), key, sealed.subarray(32, 48));
  const own: KeyPair = Curve.generateKeyPair();
  const [salt, iv] = [Buffer.alloc(32, 1), Buffer.alloc(16, 2)];
  const wrapped = aesEncryptCTR(own.public, await derivePairingCodeKey(code, salt), iv);
  const shared = Curve.sharedKey(own.private, device);
  return {
    notification: node('notification', { from: SERVER, type: 'link_code_companion_reg', id: 'code', t: '1' }, [
      node('link_code_companion_reg', { stage: 'primary_hello' }, [
        node('link_code_pairing_ref', {}, Buffer.from('ref')),
        node('primary_identity_pub', {}, account.keys.public),
        node('link_code_pairing_wrapped_primary_ephemeral_pub', {}, Buffer.concat([salt, iv, wrapped])),
      ]),
    ]),
    secretOf(finish) {
      const bundle = bytesOf(childOf(childOf(finish), 'link_code_pairing_wrapped_key_bundle'));
      const by = { salt: bundle.subarray(0, 32), info: 'link_code_pairing_key_bundle_encryption_key' };
      const opened = aesDecryptGCM(
        bundle.subarray(44),
        Buffer.from(hkdf(shared, 32, by)),
        bundle.subarray(32, 44),
        Buffer.alloc(0),
      );
      const [identity, random] = [opened.subarray(0, 32), opened.subarray(64)];
      const known = Curve.sharedKey(account.keys.private, identity);
      return Buffer.from(hkdf(Buffer.concat([shared, known, random]), 32, { info: 'adv_secret' }));
    },
  };
}
