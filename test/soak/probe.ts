/** Sends that tell whether gateways work. */
import { setTimeout as wait } from 'node:timers/promises';

/** Waits until each of the gateways has taken a send. */
export async function waitForSends(urls: readonly string[], token: string, sender: string): Promise<void> {
  const isTaken = async (url: string): Promise<boolean> => {
    const body = JSON.stringify({ to: '+12025550100', text: `Calm sea ${Math.random()}`, channels: ['sms'], sender });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) };
    const answer = await fetch(`${url}/api/omni/send`, request).catch(() => null);
    return answer?.status === 200;
  };
  await Promise.all(
    urls.map(async url => {
      while (!(await isTaken(url))) await wait(100);
    }),
  );
}
