/** The cost of a request that is refused before any work, beside a request that asks nothing and the floor of HTTP and JSON. */
import { join } from 'node:path';
import { withDatabase } from '../kit/databases.ts';
import { table } from '../kit/figures.ts';
import { SENDER, withGateway } from '../kit/gateway.ts';
import { atMost } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import { withServer } from '../load/run-load.ts';
import { type Asked, measureRequests } from './request-cost.ts';

const GOAL_US = 75;

const SEND = { to: '+12026000000', text: 'Your parcel is on its way.', channels: ['sms'], sender: SENDER };

/** Refused requests, in CPU time of the gateway. */
export const refusalsPart: Part = {
  flag: '--refusals',
  about: 'requests that are refused (401, 400), /healthz, and Hono alone: CPU of the process',
  run: ({ clusterUrl, rounds, times, say }) =>
    withServer(join(import.meta.dirname, 'floor-server.ts'), floor =>
      withDatabase(clusterUrl, databaseUrl =>
        withGateway('grouped', databaseUrl, async gateway => {
          const { token } = gateway;
          const body = JSON.stringify(SEND);
          const send = { server: gateway, path: '/api/omni/send' };
          const refused: Asked[] = [
            { ...send, title: 'a send without a token (401)', token: null, body, status: 401 },
            { ...send, title: 'malformed JSON (400)', token, body: body.slice(0, -1), status: 400 },
            {
              ...send,
              title: 'bad input (400)',
              token,
              body: JSON.stringify({ ...SEND, channels: ['pigeon'] }),
              status: 400,
            },
          ];
          const all: Asked[] = [
            {
              title: 'Hono, JSON in and out, nothing else',
              server: floor,
              path: '/',
              token: null,
              body,
              status: 200,
            },
            { title: 'GET /healthz', server: gateway, path: '/healthz', token: null, status: 200 },
            ...refused,
          ];
          const costs = await measureRequests(all, { rounds, times });
          say(
            table([
              ['CPU of one request in the process that answers', 'µs', 'a second'],
              ...all.map(({ title }, index) => [
                title,
                costs[index]?.cpuUs.toFixed(0) ?? '',
                costs[index]?.perSecond.toFixed(0) ?? '',
              ]),
            ]),
          );
          return all.flatMap((asked, index) =>
            refused.includes(asked)
              ? [atMost(`gateway CPU of ${asked.title}`, costs[index]?.cpuUs ?? Number.NaN, GOAL_US, 'µs')]
              : [],
          );
        }),
      ),
    ),
};
