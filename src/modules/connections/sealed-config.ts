/** The configuration of a connection: sealed in its row, masked wherever it is shown. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { defineReseal } from '../../db/statements/reseal.sql.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { seal, unseal } from '../../kernel/crypto/sealed.ts';
import { valueAt } from '../../kernel/input.ts';
import type { Connection } from './connection.entity.ts';

const PURPOSE = 'connection-config';

/** The mask that stands for a secret. Given back in an update, it keeps the secret. */
export const MASK = '••••••••';

/** The length of the token in the address of receipts: nobody can guess it. */
const TOKEN_BYTES = 24;

/** The sealed data of a connection, opened. */
export interface Opened {
  readonly config: Readonly<Record<string, unknown>>;
  readonly receiptsToken: string;
}

/** The token of a new connection. */
export const newReceiptsToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Seals it for the row with this id, in which alone it opens. */
export function sealConfig(keys: KeyRing, id: string, opened: Opened): Pick<Connection, 'config' | 'configKeyId'> {
  const { keyId, sealed } = seal(keys, PURPOSE, JSON.stringify(opened), id);
  return { config: sealed, configKeyId: keyId };
}

/** Opens it; null: its key is lost. */
export function openConfig(
  keys: KeyRing,
  { id, config, configKeyId }: Pick<Connection, 'id' | 'config' | 'configKeyId'>,
): Opened | null {
  const text = unseal(keys, PURPOSE, { keyId: configKeyId, sealed: config }, id);
  return text === null ? null : JSON.parse(text);
}

/** Seals anew the configs of former keys. */
export const resealConfigs = defineReseal({
  table: 'connections',
  column: 'config',
  keyColumn: 'config_key_id',
  prefix: 'con',
  purpose: PURPOSE,
});

/** The config with what its schema calls secret (`meta({ secret: true })`) masked, as it may be shown. */
export function maskSecrets(schema: z.core.$ZodType, value: unknown): unknown {
  return eachSecret(schema, value, () => MASK);
}

/** The config that was given, with the stored secrets where it has masks. */
export function unmaskSecrets(schema: z.core.$ZodType, value: unknown, stored: unknown): unknown {
  return eachSecret(schema, value, (secret, path) => (secret === MASK ? (valueAt(stored, path) ?? MASK) : secret));
}

/** The paths of secrets of which only the mask was given. */
export function maskedSecrets(schema: z.core.$ZodType, value: unknown): string[] {
  const paths: string[] = [];
  eachSecret(schema, value, (secret, path) => {
    if (secret === MASK) paths.push(path.join('.'));
    return secret;
  });
  return paths;
}

type Change = (secret: unknown, path: readonly string[]) => unknown;

/**
 * Changes every secret of a value. Of a union all variants are walked, whichever the value is: what is secret in one of them is masked in all.
 * Whatever else a schema may be made of is a leaf here.
 */
function eachSecret(schema: z.core.$ZodType, value: unknown, change: Change, path: readonly string[] = []): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (z.globalRegistry.get(schema)?.secret === true) return eachLeaf(value, change, path);
  const inEach = (schemas: readonly z.core.$ZodType[]): unknown =>
    schemas.reduce((inner, variant) => eachSecret(variant, inner, change, path), value);
  switch (def.type) {
    case 'union':
      return inEach(def.options);
    case 'intersection':
      return inEach([def.left, def.right]);
    case 'pipe':
      return inEach([def.in, def.out]);
    case 'object':
      return eachMember(value, path, (name, inner, at) => {
        const member = Object.hasOwn(def.shape, name) ? def.shape[name] : def.catchall;
        return member ? eachSecret(member, inner, change, at) : inner;
      });
    case 'record':
      return eachMember(value, path, (_name, inner, at) => eachSecret(def.valueType, inner, change, at));
    case 'array':
      return eachMember(value, path, (_name, inner, at) => eachSecret(def.element, inner, change, at));
    default:
      // A wrapper of another schema: optional, nullable, default, readonly, …
      return 'innerType' in def ? inEach([def.innerType]) : value;
  }
}

function eachLeaf(value: unknown, change: Change, path: readonly string[]): unknown {
  if (value == null) return value;
  if (typeof value !== 'object') return change(value, path);
  return eachMember(value, path, (_name, inner, at) => eachLeaf(inner, change, at));
}

/** A list or an object with each of its members changed; anything else as it is. */
function eachMember(
  value: unknown,
  path: readonly string[],
  change: (name: string, inner: unknown, path: readonly string[]) => unknown,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, change(name, inner, [...path, name])] as const);
  return Array.isArray(value) ? members.map(([, inner]) => inner) : Object.fromEntries(members);
}
