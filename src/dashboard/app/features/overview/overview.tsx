/** The start page: is it working, and if not, what fails. */
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import { OverviewDocument, type OverviewRange } from '../../api/operations.generated.ts';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Failures } from './failures.tsx';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Notices } from './notices.tsx';
import styles from './overview.module.css';
import { Routes } from './routes.tsx';
import { Volume } from './volume.tsx';

/** The times that can be shown, by their names in the URL; `span` is theirs on the logs page. */
const RANGES = {
  '24h': { range: 'DAY', words: '24 h', before: 'yesterday' },
  '7d': { range: 'WEEK', words: '7 days', before: 'in the 7 days before' },
  '30d': { range: 'MONTH', words: '30 days', before: 'in the 30 days before' },
} as const satisfies Record<string, { range: OverviewRange; words: string; before: string }>;

/** How often it looks again. */
const REFRESH_MS = 30_000;

/** The page. */
export function Overview(): ReactNode {
  const [params, setParams] = useSearchParams();
  const given = params.get('range') ?? '';
  const span = given in RANGES ? (given as keyof typeof RANGES) : '24h';
  const { data, error, refetch, isPlaceholderData } = useAnswer(
    OverviewDocument,
    { range: RANGES[span].range },
    { refetchInterval: REFRESH_MS },
  );
  // Until the numbers of another time come, those of the last one keep its words.
  const [shown, setShown] = useState(span);
  if (!isPlaceholderData && shown !== span) setShown(span);
  const { before } = RANGES[shown];
  return (
    <Page
      title="Overview"
      about="What was sent, how it went, and what fails."
      actions={
        <SegmentedControl
          aria-label="Time"
          value={span}
          onChange={range => setParams({ range }, { replace: true })}
          data={Object.entries(RANGES).map(([value, { words }]) => ({ value, label: words }))}
        />
      }
    >
      <FirstSteps hasVerified={data?.overview.hasVerified} />
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading lines={10} />}
      {data && (
        <div className={styles.numbers} aria-busy={isPlaceholderData}>
          <Figures overview={data.overview} before={before} />
          {data.overview.notices.length > 0 && (
            <Section title="Needs a look">
              <Notices overview={data.overview} />
            </Section>
          )}
          <Volume overview={data.overview} />
          <div className={styles.columns}>
            <Section title="What fails">
              <Failures overview={data.overview} before={before} />
            </Section>
            <Section title="By connection and country">
              <Routes overview={data.overview} />
            </Section>
          </div>
        </div>
      )}
    </Page>
  );
}
