/**
 * The driver of QR chats: a process of its own, which holds the sockets of all numbers and the library. The gateway forks it with the folder
 * of the library, and speaks with it by `protocol.ts`. The gateway alone stores anything, and the driver ends with it.
 */
import { KeptTexts } from './kept-texts.ts';
import { type Library, loadLibrary } from './library.ts';
import { Link } from './link.ts';
import { NewsQueue } from './news-queue.ts';
import type { Command, News } from './protocol.ts';
import { Session, type SessionParts } from './session.ts';

/** The code of a session that cannot go on. */
const BAD_SESSION = 500;

/** Takes the gateway's commands. @param server another server than the library's, for rehearsals */
export function drive(library: Library, server?: string): void {
  const link = new Link(post);
  const sessions = new Map<string, Session>();
  /** The things of a number that outlive its sockets. */
  const numbers = new Map<string, Pick<SessionParts, 'kept' | 'queue'>>();
  const open = async (command: Extract<Command, { type: 'open' }>): Promise<void> => {
    const { connectionId } = command;
    // Two sockets of one number would fight.
    for (let former = sessions.get(connectionId); former; former = sessions.get(connectionId))
      await former.close(false);
    try {
      const number = numbers.get(connectionId) ?? { kept: new KeptTexts(), queue: new NewsQueue() };
      numbers.set(connectionId, number);
      const onEnd = (): void => void sessions.delete(connectionId);
      const session = new Session(library, link, command, { server, ...number, onEnd });
      sessions.set(connectionId, session);
    } catch {
      // Credentials that cannot be read: a bad session, as the server calls it.
      link.tell({ type: 'closed', connectionId, code: BAD_SESSION });
    }
  };
  process.on('message', (command: Command) => {
    if (command.type === 'answer' || command.type === 'refusal') return link.settle(command);
    const session = sessions.get(command.connectionId);
    // The gateway gives the number up: another process may have it next.
    if (command.type === 'close') numbers.delete(command.connectionId);
    void obey(command, session, link, open);
  });
  link.tell({ type: 'ready' });
}

async function obey(
  command: Exclude<Command, { type: 'answer' | 'refusal' }>,
  session: Session | undefined,
  link: Link,
  open: (command: Extract<Command, { type: 'open' }>) => Promise<void>,
): Promise<void> {
  const { connectionId } = command;
  switch (command.type) {
    case 'open':
      return open(command);
    case 'lease':
      return session?.renew(command.leaseMs);
    case 'close':
      return session ? session.close(command.unlink) : link.tell({ type: 'closed', connectionId, code: null });
    case 'send': {
      const outcome = (await session?.send(command)) ?? { kind: 'unsent' };
      return link.tell({ type: 'sent', call: command.call, outcome });
    }
    case 'cancel':
      return session?.cancel(command.messageId);
    case 'askLimits':
      return link.tell({ type: 'limits', call: command.call, limits: (await session?.limits()) ?? null });
  }
}

function post(news: News): void {
  process.send?.(news, undefined, undefined, () => undefined);
}

/** Prepares the process: silent, and gone with the gateway. A text or a key must not stand in anybody's log. */
export function prepare(): void {
  for (const name of ['debug', 'dir', 'error', 'info', 'log', 'table', 'trace', 'warn'] as const)
    Reflect.set(console, name, () => undefined);
  process.on('disconnect', () => process.exit(0));
  // The library leaves some of its promises alone; one number's must not end all.
  process.on('unhandledRejection', () => undefined);
}

if (import.meta.main) {
  prepare();
  const library = await loadLibrary(process.argv[2] ?? '.');
  const { CHAT_QR_SERVER, CHAT_QR_ROOT } = process.env;
  if (CHAT_QR_ROOT) library.WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(CHAT_QR_ROOT, 'hex');
  drive(library, CHAT_QR_SERVER);
}
