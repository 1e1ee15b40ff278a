/** Checks the secret keys: which are in use, and whether this process has them. */
import { runSql, type Sql } from '../../db/statements/sql.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { opensCanary, readCanary } from '../keys/canary.ts';
import { describeUses, findKeyUses } from '../keys/key-uses.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Checks the keys. @throws errors of the database */
export async function lookAtKeys(keys: KeyRing, sql: Sql): Promise<Finding[]> {
  const canary = await readCanary(sql);
  const uses = new Map((await findKeyUses(sql)).map(use => [use.key_id, use]));
  const former = keys.ids.slice(1);
  const missing = [...uses.keys()].filter(id => !keys.ids.includes(id));
  const made = (id: string): string | null => {
    const use = uses.get(id);
    return use ? describeUses([use]) : null;
  };
  return [
    lookAtCanary(keys, canary),
    ok(
      'keys.current',
      `The current key is ${keys.currentId}; it has made ${made(keys.currentId) ?? 'nothing that lives'}.`,
    ),
    ...former.map(id => lookAtFormer(id, made(id))),
    ...missing.map(id => lookAtMissing(id, made(id))),
    ...(await lookAtForgotten(sql)),
  ];
}

function lookAtCanary(keys: KeyRing, canary: Awaited<ReturnType<typeof readCanary>>): Finding {
  if (canary === null) return warning('keys.database', 'The database belongs to no key yet.', 'Start a gateway on it.');
  if (canary.keyId === keys.currentId && opensCanary(keys, canary))
    return ok('keys.database', `The database belongs to the current key, ${canary.keyId}.`);
  const message = `The database belongs to the key ${canary.keyId}`;
  if (opensCanary(keys, canary))
    return warning(
      'keys.database',
      `${message}, a former one here: another process was started with it since.`,
      'Start all processes with the same SECRET_KEY.',
    );
  return fault(
    'keys.database',
    `${message}, which this process does not have: another one went over to it.`,
    'Start all processes with the new SECRET_KEY, and the former one in SECRET_KEY_PREVIOUS.',
  );
}

function lookAtFormer(id: string, use: string | null): Finding {
  return ok(
    'keys.former',
    use === null
      ? `The former key ${id} has made nothing that lives: it may be taken out of SECRET_KEY_PREVIOUS.`
      : `The former key ${id} has made ${use}: it must stay in SECRET_KEY_PREVIOUS.`,
  );
}

function lookAtMissing(id: string, use: string | null): Finding {
  return fault(
    'keys.missing',
    `The key ${id} has made ${use ?? 'something'}, and this process does not have it: such passcodes cannot be verified, such webhooks not signed, such connections not used.`,
    `Name it in SECRET_KEY_PREVIOUS; if it is lost for good: npx heliograph key forget ${id}`,
  );
}

async function lookAtForgotten(sql: Sql): Promise<Finding[]> {
  const [row] = await runSql<{ count: number }>(
    sql,
    `select count(*)::int as count from webhook_endpoints where secret_key_id = ''`,
    [],
  );
  const count = row?.count ?? 0;
  if (count === 0) return [];
  return [
    warning(
      'keys.forgotten',
      `${count} webhook endpoints have lost their secret with a key that was forgotten: nothing is delivered to them.`,
      'Have their owners rotate the secret.',
    ),
  ];
}
