/** How much some work does, as V8 counts it: a busy machine changes nothing of that. */
import { type Profiler, Session } from 'node:inspector';

/** How often functions of a source are called in some work. @param source a pattern of its URL */
export function countCalls(source: RegExp, work: () => unknown): number {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false, allowTriggeredUpdates: false });
  try {
    work();
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    // The answer comes before the call ends: the session is one of this very thread.
    session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      scripts = result;
    });
    const functions = scripts.filter(({ url }) => source.test(url)).flatMap(one => one.functions);
    return functions.reduce((calls, { ranges }) => calls + (ranges[0]?.count ?? 0), 0);
  } finally {
    session.disconnect();
  }
}
