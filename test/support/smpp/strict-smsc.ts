/** An SMSC that allows one bind: a second one is refused (`ESME_RALYBND`) until the first session is unbound or gone. A test can have its answers held back. */
import { answerTo, type Heard, ID, type SmscConnection, startScriptedSmsc } from './scripted-smsc.ts';
import { Watched } from './watched.ts';

const ALREADY_BOUND = 0x05;

/** Such an SMSC, with what it saw. */
export interface StrictSmsc extends AsyncDisposable {
  readonly port: number;
  /** How many binds it has refused. */
  readonly refused: number;
  /** How many texts it was given. */
  readonly texts: number;
  /** The `system_type` of each bind that it took, in order. */
  readonly systemTypes: readonly string[];
  /** Answers no more texts for now. */
  hold(): void;
  /** Answers those that wait, and others at once. */
  release(): void;
  /** Wait until so many binds were taken, sessions unbound, or texts submitted. */
  bound(count: number): Promise<true>;
  unbound(count: number): Promise<true>;
  submitted(count: number): Promise<true>;
}

/** Opens one on a free port. */
export async function openStrictSmsc(): Promise<StrictSmsc> {
  const changed = new Watched();
  const systemTypes: string[] = [];
  let bound: SmscConnection | null = null;
  let [refused, texts, unbound] = [0, 0, 0];
  let held: (() => void)[] | null = null;
  const leave = (connection: SmscConnection): void => {
    if (bound === connection) bound = null;
  };
  const smsc = await startScriptedSmsc({
    [ID.bind](heard, connection) {
      if (bound !== null) {
        refused += 1;
        connection.write(answerTo(heard, '', ALREADY_BOUND));
        return;
      }
      bound = connection;
      connection.socket.once('close', () => leave(connection));
      systemTypes.push(systemTypeOf(heard));
      connection.write(answerTo(heard, 'SMSC\0'));
      changed.touch();
    },
    [ID.submit](heard, { write }) {
      const id = `m${++texts}\0`;
      const answer = (): void => write(answerTo(heard, id));
      if (held) held.push(answer);
      else answer();
      changed.touch();
    },
    [ID.unbind](heard, connection) {
      leave(connection);
      unbound += 1;
      connection.write(answerTo(heard));
      connection.socket.end();
      changed.touch();
    },
  });
  const until = (isSo: () => boolean) => changed.until(() => (isSo() ? true : null));
  return {
    port: smsc.port,
    get refused() {
      return refused;
    },
    get texts() {
      return texts;
    },
    systemTypes,
    hold() {
      held ??= [];
    },
    release() {
      const waiting = held ?? [];
      held = null;
      for (const answer of waiting) answer();
    },
    bound: count => until(() => systemTypes.length >= count),
    unbound: count => until(() => unbound >= count),
    submitted: count => until(() => texts >= count),
    [Symbol.asyncDispose]: () => smsc[Symbol.asyncDispose](),
  };
}

/** The third text of a bind, behind `system_id` and `password` (SMPP 3.4 §4.1.5). */
function systemTypeOf({ body }: Heard): string {
  return body.toString('latin1').split('\0')[2] ?? '';
}
