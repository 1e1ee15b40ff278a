/** Webhooks: what deliveries carry and cost, and how soon they come. */
import { median, medianFigures, quantileOf, table } from './figures.ts';
import type { SendTimes } from './sends.ts';
import { type DelayPlan, type DelayRun, measureDelays } from './webhooks-delay.ts';
import { measureRate, type RateRun } from './webhooks-rate.ts';
import { measureSubscribed, SUBSCRIPTIONS, type SubscribedRun, type Subscription } from './webhooks-sends.ts';

/** What the project wants. */
const GOAL = { toPosts: 0.3, toUnsubscribed: 0.6, p50Ms: 100, p99Ms: 500, besideHole: 1.2 };

const TITLES: Readonly<Record<Subscription, string>> = {
  none: 'gateway, nobody is told',
  one: 'gateway, one endpoint is told of message.sent',
  all: 'gateway, one endpoint is told of all nine events',
};

/** How much is measured. */
export interface WebhookPlan {
  readonly rounds: number;
  /** Deliveries of a round, a multiple of thirty. */
  readonly deliveries: number;
  readonly sends: SendTimes;
  readonly delays: DelayPlan;
}

/** What was measured. */
export interface WebhookRuns {
  readonly rates: readonly RateRun[];
  readonly sends: ReadonlyMap<Subscription, readonly SubscribedRun[]>;
  readonly delays: readonly DelayRun[];
}

/** Measures everything, and says each run. @throws RowFault */
export async function measureWebhooks(
  clusterUrl: string,
  plan: WebhookPlan,
  say: (line: string) => void,
): Promise<WebhookRuns> {
  const rates: RateRun[] = [];
  const delays: DelayRun[] = [];
  const sends = new Map<Subscription, SubscribedRun[]>(SUBSCRIPTIONS.map(subscription => [subscription, []]));
  for (let round = 0; round < plan.rounds; round++) {
    const rate = await measureRate(clusterUrl, plan.deliveries);
    say(`  deliveries: ${shown(rate.deliveriesPerSecond)}/s, posts alone ${shown(rate.postsPerSecond)}/s`);
    rates.push(rate);
    for (const [subscription, runs] of sends) {
      const run = await measureSubscribed(subscription, clusterUrl, plan.sends);
      say(
        `  ${TITLES[subscription]}: ${shown(run.sendsPerSecond)} sends/s; ${run.answered} answered, ${run.deliveries} delivered, ` +
          `${run.drainSeconds.toFixed(1)} s after the load`,
      );
      runs.push(run);
    }
    const delay = await measureDelays(clusterUrl, plan.delays);
    say(`  events one after another: p50 ${quantileOf(delay.single, 0.5).toFixed(1)} ms; ${besideHoleOf([delay])}`);
    delays.push(delay);
  }
  return { rates, sends, delays };
}

/** The medians of the runs, and the ratios. */
export function webhookReport({ rates, sends, delays }: WebhookRuns): string {
  return [rateReport(rates), sendsReport(sends), delayReport(delays)].join('\n\n');
}

function rateReport(rates: readonly RateRun[]): string {
  const deliveries = median(rates.map(rate => rate.deliveriesPerSecond));
  const posts = median(rates.map(rate => rate.postsPerSecond));
  return [
    table([
      ['Webhooks to one receiver', 'a second'],
      ['gateway, deliveries to ten endpoints, ten at a time each', shown(deliveries)],
      ['undici alone, the same request, a hundred at a time', shown(posts)],
    ]),
    '',
    `Deliveries to posts alone:                   ${ratio(deliveries / posts)} (goal: ${ratio(GOAL.toPosts)})`,
  ].join('\n');
}

function sendsReport(sends: WebhookRuns['sends']): string {
  const figures = new Map([...sends].map(([subscription, runs]) => [subscription, medianFigures(runs)]));
  const toNone = (subscription: Subscription): string => {
    const share = (figures.get(subscription)?.sendsPerSecond ?? 0) / (figures.get('none')?.sendsPerSecond ?? 0);
    return `${ratio(share)} (goal: ${ratio(GOAL.toUnsubscribed)})`;
  };
  return [
    table([
      ['Sends that webhooks tell of', 'sends/s', 'p50 ms', 'p99 ms'],
      ...[...figures].map(([subscription, { sendsPerSecond, p50Ms, p99Ms }]) => [
        TITLES[subscription],
        shown(sendsPerSecond),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
      ]),
    ]),
    '',
    `Sends with one event to sends without:       ${toNone('one')}`,
    `Sends with all events to sends without:      ${toNone('all')}`,
  ].join('\n');
}

function delayReport(delays: readonly DelayRun[]): string {
  const row = (title: string, values: readonly number[]): string[] => [
    title,
    ...[0.5, 0.95, 0.99].map(share => quantileOf(values, share).toFixed(1)),
    String(values.length),
  ];
  return [
    table([
      ['From the commit of an event to its receiver', 'p50 ms', 'p95 ms', 'p99 ms', 'events'],
      row(
        'one after another',
        delays.flatMap(delay => delay.single),
      ),
      row(
        '200 a second to 99 endpoints',
        delays.flatMap(delay => delay.healthy),
      ),
      row(
        'the same, beside one endpoint that never answers',
        delays.flatMap(delay => delay.besideHole),
      ),
    ]),
    '',
    `Goals for one after another:                 p50 ${GOAL.p50Ms} ms, p99 ${GOAL.p99Ms} ms`,
    `${besideHoleOf(delays)} (goal: at most ${ratio(GOAL.besideHole)})`,
  ].join('\n');
}

function besideHoleOf(delays: readonly DelayRun[]): string {
  const p95 = (values: readonly number[]): number => quantileOf(values, 0.95);
  const share = p95(delays.flatMap(delay => delay.besideHole)) / p95(delays.flatMap(delay => delay.healthy));
  return `p95 beside one that never answers to without: ${ratio(share)}`;
}

function shown(perSecond: number): string {
  return perSecond.toFixed(0);
}

function ratio(share: number): string {
  return `${share.toFixed(2)} ×`;
}
