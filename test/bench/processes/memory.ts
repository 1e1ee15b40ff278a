/** Whether memory ends: what a gateway has resident after some sends, and after ten times as many. */
import { memoryMiBOf } from '../kit/costs.ts';
import { withDatabase } from '../kit/databases.ts';
import { table } from '../kit/figures.ts';
import { withGateway } from '../kit/gateway.ts';
import { atMost } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { runLoad } from '../load/run-load.ts';
import { untilReported } from '../sends/reported.ts';
import { CALLERS, loadPlan } from '../sends/sends.ts';

const TIMES = 10;
const SECONDS_MAX = 3_600;
const BYTES_OF_MIB = 1_048_576;

/** Resident memory after many sends, PostgreSQL outside. */
export const memoryPart: Part = {
  flag: '--memory',
  about: 'resident memory of the gateway after 200,000 sends, beside after 20,000',
  run: ({ clusterUrl, isQuick, say }) =>
    withDatabase(clusterUrl, databaseUrl =>
      withGateway('grouped', databaseUrl, async ({ url, token, pid }) => {
        const few = isQuick ? 1_000 : 20_000;
        const send = async (count: number): Promise<number> => {
          const load = { ...loadPlan(), url, token, connections: CALLERS, warmUpSeconds: 0, seconds: SECONDS_MAX };
          await runLoad({ ...load, stepsMax: count });
          await untilReported(databaseUrl);
          return (await memoryMiBOf(pid)) * (BYTES_OF_MIB / 1e6);
        };
        const startMb = (await memoryMiBOf(pid)) * (BYTES_OF_MIB / 1e6);
        const fewMb = await send(few);
        const manyMb = await send((TIMES - 1) * few);
        const many = (TIMES * few).toLocaleString('en');
        say(
          table([
            ['Resident memory of the gateway', 'MB'],
            ['after its start', startMb.toFixed(0)],
            [`after ${few.toLocaleString('en')} sends`, fewMb.toFixed(0)],
            [`after ${many} sends`, manyMb.toFixed(0)],
          ]),
        );
        return [
          atMost(`resident memory after ${many} sends to a tenth of them`, manyMb / fewMb, 1.1),
          atMost(`resident memory after ${many} sends`, manyMb, 250, 'MB'),
        ];
      }),
    ),
};
