/** How sessions are, as the lines of their connections are told. */
import type { Line } from '../connections/live/line.ts';
import type { ChatSession } from './chat-session.entity.ts';
import { linkStateOf } from './link-state.policy.ts';

/** The lines of a process. */
export class LineStates {
  /** The state that each line was told last: a line that is told again forgets what failed. */
  readonly #told = new WeakMap<Line, string>();

  /** Tells a line how its session is, where that has changed. @param session null: there is none */
  tell(line: Line, session: ChatSession | null, now: Date): void {
    const state = linkStateOf(session, line.provider.session?.fault() ?? null, now);
    const told = JSON.stringify(state);
    if (this.#told.get(line) === told) return;
    this.#told.set(line, told);
    line.breaker.noteLink(state);
  }
}
