/** The accounts of a rehearsal: phones, the devices that are linked to them, and the keys that these have uploaded. */

import { bytesOf, childOf, childrenOf } from './nodes.ts';
import type { ClientPayload, KeyPair, Node, Packages } from './peer-library.ts';
import { type DeviceBundle, Person } from './person.ts';

type Registration = NonNullable<ClientPayload['devicePairingData']>;

/** A linked device. */
export interface Device {
  readonly id: number;
  readonly registration: Registration;
  readonly preKeys: Map<number, Uint8Array>;
}

/** A phone with its number. Its person is the phone itself, which gets what its devices send. */
export interface Account {
  readonly number: string;
  readonly person: Person;
  readonly keys: KeyPair;
  readonly devices: Map<number, Device>;
}

/** Makes an account without a linked device. */
export function makeAccount(packages: Packages, number: string): Account {
  return {
    number,
    person: new Person(packages, number),
    keys: packages.library.Curve.generateKeyPair(),
    devices: new Map(),
  };
}

/** A device that is to be linked to an account. */
export function newDevice(account: Account, registration: Registration): Device {
  return { id: account.devices.size + 1, registration, preKeys: new Map() };
}

/** Takes the keys that a device uploads. */
export function takePreKeys(device: Device, upload: Node): void {
  for (const key of childrenOf(childOf(upload, 'list'), 'key'))
    device.preKeys.set(bytesOf(childOf(key, 'id')).readUIntBE(0, 3), bytesOf(childOf(key, 'value')));
}

/** The keys by which a person begins to write to a device; each one-time key is given once. */
export function bundleOf(packages: Packages, { registration, preKeys }: Device): DeviceBundle {
  const { generateSignalPubKey } = packages.library;
  const [first] = preKeys;
  if (first) preKeys.delete(first[0]);
  return {
    registrationId: Buffer.from(registration.eRegid).readUInt32BE(),
    identityKey: generateSignalPubKey(registration.eIdent),
    signedPreKey: {
      keyId: Buffer.from(registration.eSkeyId).readUIntBE(0, 3),
      publicKey: generateSignalPubKey(registration.eSkeyVal),
      signature: registration.eSkeySig,
    },
    preKey: first && { keyId: first[0], publicKey: generateSignalPubKey(first[1]) },
  };
}
