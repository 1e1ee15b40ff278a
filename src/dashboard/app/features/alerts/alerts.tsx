/** The alerts: what somebody wants to be told of, and what was told. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAnswer, useChange } from '../../api/hooks.ts';
import { AlertRulesDocument, UpdateAlertRuleDocument } from '../../api/operations.generated.ts';
import { NotAllowed } from '../../frame/not-allowed.tsx';
import { useRights } from '../../frame/session/session.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { DeleteRule } from './delete-rule.tsx';
import { RuleForm } from './rule-form.tsx';
import { minutesWord, type Rule, ruleWord } from './rule-words.ts';
import { TestRule } from './test-rule.tsx';
import { LOOK_MS, Told } from './told.tsx';

/** The page. */
export function Alerts(): ReactNode {
  const { data, error, refetch } = useAnswer(AlertRulesDocument, {}, { refetchInterval: LOOK_MS });
  const { mayChange } = useRights();
  const [params, change] = useUrlState();
  const [editing, setEditing] = useState<Rule | null>(null);
  const [testing, setTesting] = useState<Rule | null>(null);
  const [deleting, setDeleting] = useState<Rule | null>(null);
  const create = mayChange && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => change({ new: '1' })}>
      Create rule
    </Button>
  );
  const columns: Column<Rule>[] = [
    { head: 'When', cell: ruleWord, isMain: true },
    { head: 'Lasting', cell: ({ lastingMinutes }) => (lastingMinutes === 0 ? 'at once' : minutesWord(lastingMinutes)) },
    { head: 'Then quiet for', cell: ({ quietMinutes }) => minutesWord(quietMinutes) },
    { head: 'Told to', cell: rule => <Ways rule={rule} /> },
    { head: 'State', cell: rule => <Status {...stateOf(rule)} /> },
    {
      head: 'Actions',
      cell: rule =>
        mayChange && (
          <Actions
            rule={rule}
            edit={() => setEditing(rule)}
            test={() => setTesting(rule)}
            remove={() => setDeleting(rule)}
          />
        ),
    },
  ];
  const settings = data?.alertSettings;
  return (
    <Page
      title="Alerts"
      about="You are told when something is wrong for long enough, and when it is well again: by mail, in a chat, and by webhook events."
      actions={create}
    >
      {!mayChange && params.has('new') && <NotAllowed what="create alert rules" needs="developer" />}
      <Section title="Rules">
        {error && <FailureNote failure={error} retry={refetch} />}
        {!data && !error && <Loading lines={3} />}
        {data?.alertRules.length === 0 && (
          <Empty title="No rule yet">
            <p>
              Nobody is told of anything. A rule is made in a minute: each kind comes with numbers that fit most
              accounts.
            </p>
            {create}
          </Empty>
        )}
        {data && data.alertRules.length > 0 && (
          <Table label="Rules" rows={data.alertRules} keyOf={({ id }) => id} columns={columns} />
        )}
      </Section>
      <Told />
      {settings && mayChange && params.get('new') === '1' && (
        <RuleForm settings={settings} rule={null} close={() => change({ new: null })} />
      )}
      {settings && editing && <RuleForm settings={settings} rule={editing} close={() => setEditing(null)} />}
      {testing && <TestRule rule={testing} close={() => setTesting(null)} />}
      {deleting && <DeleteRule rule={deleting} close={() => setDeleting(null)} />}
    </Page>
  );
}

function stateOf({ paused, open }: Rule): { status: string; word?: string } {
  if (paused) return { status: 'PAUSED' };
  return open > 0 ? { status: 'FAILED', word: `${open} open` } : { status: 'UP', word: 'all well' };
}

function Ways({ rule: { mail, slackHost } }: { readonly rule: Rule }): ReactNode {
  const ways = [...mail, ...(slackHost === null ? [] : [slackHost])];
  return ways.length === 0 ? (
    <span className="quiet">webhook events only</span>
  ) : (
    <span style={{ overflowWrap: 'anywhere' }}>{ways.join(', ')}</span>
  );
}

function Actions({
  rule,
  edit,
  test,
  remove,
}: {
  readonly rule: Rule;
  readonly edit: () => void;
  readonly test: () => void;
  readonly remove: () => void;
}): ReactNode {
  const update = useChange(UpdateAlertRuleDocument);
  const word = ruleWord(rule);
  const pause = rule.paused ? 'Resume' : 'Pause';
  return (
    <Button.Group>
      <Button variant="default" size="compact-xs" aria-label={`Edit: ${word}`} onClick={edit}>
        Edit
      </Button>
      <Button variant="default" size="compact-xs" aria-label={`Test: ${word}`} onClick={test}>
        Test
      </Button>
      <Button
        variant="default"
        size="compact-xs"
        aria-label={`${pause}: ${word}`}
        loading={update.isPending}
        onClick={() => update.mutate({ input: { ruleId: rule.id, paused: !rule.paused } })}
      >
        {pause}
      </Button>
      <Button variant="default" size="compact-xs" aria-label={`Delete: ${word}`} onClick={remove}>
        Delete
      </Button>
    </Button.Group>
  );
}
