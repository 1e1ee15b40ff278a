/** The loop of every load: the same step over and over on each of its connections, for a warm-up and a measured time. */
import { HttpSocket } from './http-socket.ts';

/** How long, and on how many connections. */
export interface DrivePlan {
  readonly url: string;
  /** Null: requests carry none. */
  readonly token: string | null;
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Ends before the time is over where so much is done; the rates it then answers are too low. */
  readonly stepsMax?: number;
}

/** The steps of a run. */
export interface Driven {
  /** How often, warm-up included. */
  readonly answered: number;
  /** The times of each step (milliseconds), of all that began and ended in the measured time. */
  readonly measured: readonly (readonly number[])[];
  /** How much of one core this process used in the measured time. */
  readonly coreShare: number;
}

/** Runs `step` until the time is over; what has begun is brought to its end. `step` answers its times in milliseconds. */
export async function drive(
  plan: DrivePlan,
  step: (connection: HttpSocket) => Promise<readonly number[]>,
): Promise<Driven> {
  const connections = await Promise.all(
    Array.from({ length: plan.connections }, () => HttpSocket.open(plan.url, plan.token)),
  );
  const measureFromMs = performance.now() + plan.warmUpSeconds * 1_000;
  const endsAtMs = measureFromMs + plan.seconds * 1_000;
  const measured: (readonly number[])[] = [];
  let begun = 0;
  let answered = 0;
  let cpuAtMeasure: NodeJS.CpuUsage | null = null;
  const run = async (connection: HttpSocket): Promise<void> => {
    for (;;) {
      const beganMs = performance.now();
      if (beganMs >= endsAtMs || begun++ >= (plan.stepsMax ?? Number.POSITIVE_INFINITY)) return connection.close();
      if (cpuAtMeasure === null && beganMs >= measureFromMs) cpuAtMeasure = process.cpuUsage();
      const times = await step(connection);
      answered++;
      if (beganMs >= measureFromMs && performance.now() <= endsAtMs) measured.push(times);
    }
  };
  await Promise.all(connections.map(run));
  const { user, system } = process.cpuUsage(cpuAtMeasure ?? undefined);
  return { answered, measured, coreShare: (user + system) / 1e6 / plan.seconds };
}
