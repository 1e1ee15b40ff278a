/**
 * The baseline of deliveries: a process of its own that posts the same body with the same headers by undici, and nothing else. `runPosts`
 * starts it with its plan as the only argument. The process ends when all posts are answered.
 */
import { Pool } from 'undici';
import type { PostPlan } from './rate.ts';

const { url, body, headers, concurrency, warmUp, count }: PostPlan = JSON.parse(process.argv[2] ?? '');
const { origin, pathname: path } = new URL(url);
const pool = new Pool(origin, { connections: concurrency });

async function post(times: number): Promise<void> {
  let begun = 0;
  const repeat = async (): Promise<void> => {
    while (begun++ < times) {
      const answer = await pool.request({ path, method: 'POST', headers, body });
      if (answer.statusCode !== 200) throw new Error(`not 200: ${answer.statusCode}`);
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, repeat));
}

await post(warmUp);
const beganMs = performance.now();
await post(count);
process.stdout.write(JSON.stringify({ seconds: (performance.now() - beganMs) / 1_000 }));
await pool.close();
