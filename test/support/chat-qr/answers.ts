/** The server's answers to questions that have nothing to do with one text. */
import type { Account, Device } from './accounts.ts';
import { takePreKeys } from './accounts.ts';
import { bytesOf, childOf, childrenOf, node, SERVER, userOf } from './nodes.ts';
import type { Node } from './peer-library.ts';
import { lidOf, type Person } from './person.ts';

/** The limits that the server tells. Null: it does not answer. */
export interface Limits {
  readonly isLocked: boolean;
  readonly lockedUntilMs: number | null;
  /** Null: the question about new chats is answered by an error. */
  readonly newChats: number | null;
  readonly newChatsUsed: number;
  readonly newChatsUntilMs: number | null;
  /** Whether it says that the number begins no more chats, whatever the numbers say. */
  readonly isCapped?: boolean;
}

/** The state of the server that answers are made of. */
export interface World {
  readonly limits: Limits | null;
  /** The number as the chat writes it. */
  written(number: string): string;
  /** The person of an address, by number or id; null: nobody. */
  find(jid: string): Person | null;
}

/** Answers a question. Null: it stays without an answer. */
export function answerTo(iq: Node, account: Account, device: Device, world: World): Node | null {
  const child = childOf(iq);
  const content = answerOf(`${iq.attrs.xmlns} ${child?.tag}`, iq, account, device, world);
  if (content === null) return null;
  return node('iq', { from: iq.attrs.to ?? SERVER, id: iq.attrs.id ?? '', type: 'result' }, content);
}

function answerOf(what: string, iq: Node, account: Account, device: Device, world: World): Node[] | null {
  const child = childOf(iq);
  switch (what) {
    case 'encrypt count':
      return [node('count', { value: String(device.preKeys.size) })];
    case 'encrypt registration':
      takePreKeys(device, iq);
      return [];
    case 'encrypt digest':
      return [node('digest')];
    case 'encrypt key':
      return [
        node(
          'list',
          {},
          childrenOf(child, 'user').map(user => bundleFor(user.attrs.jid ?? '', world)),
        ),
      ];
    case 'usync usync':
      return [usync(child, account, world)];
    case 'abt props':
      return [node('props', { hash: 'rehearsal' }, [])];
    case 'blocklist undefined':
      return [node('list', {}, [])];
    case 'privacy privacy':
      return [node('privacy', {}, [node('category', { name: 'readreceipts', value: 'all' })])];
    case 'w:mex query':
      return limits(bytesOf(child).toString(), child?.attrs.query_id ?? '', world.limits);
    default:
      return [];
  }
}

function bundleFor(jid: string, world: World): Node {
  const person = world.find(jid);
  if (!person) return node('user', { jid }, [node('error', { code: '404' })]);
  return person.bundle(jid);
}

function usync(query: Node | undefined, account: Account, world: World): Node {
  const users = childrenOf(childOf(query, 'list'), 'user').map(user => {
    const phone = childOf(user, 'contact');
    const jid = user.attrs.jid ?? `${world.written(bytesOf(phone).toString().slice(1))}${SERVER}`;
    const person = world.find(jid);
    const isOwn = person?.number === account.number;
    const devices = [node('device', { id: '0' })];
    if (isOwn)
      devices.push(
        ...[...account.devices.keys()].map(id => node('device', { id: String(id), 'key-index': String(id) })),
      );
    return node('user', { jid }, [
      ...(phone ? [node('contact', { type: person ? 'in' : 'out' })] : []),
      node('devices', {}, [node('device-list', {}, person ? devices : [])]),
      ...(person && !jid.endsWith('@lid') ? [node('lid', { val: `${lidOf(userOf(jid))}@lid` })] : []),
    ]);
  });
  return node('usync', { index: '0', last: 'true', sid: query?.attrs.sid ?? '' }, [node('list', {}, users)]);
}

/** The ids of the two questions about limits. */
const LOCK = '23983697327930364';

function limits(_variables: string, queryId: string, known: Limits | null): Node[] | null {
  if (!known) return null;
  const seconds = (ms: number | null): string => (ms === null ? '0' : String(ms / 1_000));
  const lock = { is_active: known.isLocked, time_enforcement_ends: seconds(known.lockedUntilMs) };
  const cap = {
    total_quota: known.newChats,
    used_quota: known.newChatsUsed,
    cycle_end_timestamp: seconds(known.newChatsUntilMs),
    capping_status: known.isCapped ? 'CAPPED' : 'NONE',
  };
  const capAnswer = known.newChats === null ? { errors: [{}] } : { data: { xwa2_message_capping_info: cap } };
  const answer = queryId === LOCK ? { data: { xwa2_fetch_account_reachout_timelock: lock } } : capAnswer;
  return [node('result', {}, Buffer.from(JSON.stringify(answer)))];
}
