/** The senders: the names and numbers that texts come from. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CHANNEL_FACTS } from '../../api/channels.generated.ts';
import { channelWord } from '../../api/channels.ts';
import { useAnswer, useChange } from '../../api/hooks.ts';
import {
  ApproveSenderDocument,
  type SenderFragment,
  SendersDocument,
  SetTemplateRequiredDocument,
} from '../../api/operations.generated.ts';
import { NotAllowed } from '../../frame/not-allowed.tsx';
import { useRights } from '../../frame/session/session.tsx';
import { useAccountId, useAskedAccount } from '../../frame/session/whose.ts';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/times.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { phoneWord } from '../../ui/words.ts';
import { AddSender } from './add-sender.tsx';
import { SetTemplate } from './set-template.tsx';

/** The page. */
export function Senders(): ReactNode {
  const { data, error, refetch } = useAnswer(SendersDocument, useAskedAccount());
  const { isOperator } = useRights();
  const [params, change] = useUrlState();
  const [templated, setTemplated] = useState<SenderFragment | null>(null);
  const accountId = useAccountId();
  const approve = useChange(ApproveSenderDocument);
  const rule = useChange(SetTemplateRequiredDocument);
  const add = isOperator && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => change({ new: '1' })}>
      Add sender
    </Button>
  );
  const actions = (sender: SenderFragment): ReactNode => (
    <Button.Group>
      {!sender.approved && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={`Approve ${sender.name}`}
          loading={approve.isPending}
          onClick={() => approve.mutate({ input: { accountId, channel: sender.channel, name: sender.name } })}
        >
          Approve
        </Button>
      )}
      {CHANNEL_FACTS[sender.channel].templateField && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={`Set template of ${sender.name}`}
          onClick={() => setTemplated(sender)}
        >
          Set template
        </Button>
      )}
      {CHANNEL_FACTS[sender.channel].templateField && (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={`${sender.templateRequired ? 'Allow free text by' : 'Ask for templates by'} ${sender.name}`}
          loading={rule.isPending}
          onClick={() =>
            rule.mutate({ input: { accountId, address: sender.name, isRequired: !sender.templateRequired } })
          }
        >
          {sender.templateRequired ? 'Allow free text' : 'Always ask for a template'}
        </Button>
      )}
    </Button.Group>
  );
  const parts = [
    { title: 'SMS names', rows: data?.senders.filter(sender => !isNumber(sender)) ?? [], isChat: false },
    { title: 'Chat numbers', rows: data?.senders.filter(isNumber) ?? [], isChat: true },
  ];
  return (
    <Page title="Senders" about="The names and numbers that your texts come from." actions={add}>
      {!isOperator && params.has('new') && <NotAllowed what="add senders" needs="operator" />}
      {error && <FailureNote failure={error} retry={refetch} />}
      {approve.error && <FailureNote failure={approve.error} />}
      {rule.error && <FailureNote failure={rule.error} />}
      {!data && !error && <Loading />}
      {data?.senders.length === 0 && (
        <Empty title="No sender yet">
          <p>
            {isOperator
              ? 'Add an SMS name or a chat number, then approve it: nothing can be sent before.'
              : 'Nothing can be sent before there is one. The operator of the gateway adds and approves senders.'}
          </p>
          {add}
        </Empty>
      )}
      {parts.map(
        ({ title, rows, isChat }) =>
          rows.length > 0 && (
            <Section key={title} title={title}>
              <Table
                label={title}
                rows={rows}
                keyOf={({ id }) => id}
                columns={columnsOf(isChat, isOperator ? actions : null)}
              />
            </Section>
          ),
      )}
      {isOperator && params.get('new') === '1' && <AddSender close={() => change({ new: null })} />}
      {templated && <SetTemplate sender={templated} close={() => setTemplated(null)} />}
    </Page>
  );
}

function isNumber({ channel }: SenderFragment): boolean {
  return CHANNEL_FACTS[channel].senderIs === 'number';
}

function columnsOf(isChat: boolean, actions: ((sender: SenderFragment) => ReactNode) | null): Column<SenderFragment>[] {
  return [
    {
      head: isChat ? 'Number' : 'Name',
      cell: ({ name, isDefault }) => (
        <span>
          {phoneWord(name)} {isDefault && <span className="quiet">default</span>}
        </span>
      ),
      isMain: true,
    },
    { head: 'Channel', cell: ({ channel }) => channelWord(channel) },
    {
      head: 'State',
      cell: ({ approved }) => (
        <Status status={approved ? 'APPROVED' : 'WAITING'} {...(!approved && { word: 'waiting for approval' })} />
      ),
    },
    ...(isChat
      ? [
          {
            head: 'Passcode template',
            cell: ({ channel, otpTemplate }: SenderFragment) => {
              if (!CHANNEL_FACTS[channel].templateField) return 'needs none';
              return otpTemplate ? `${otpTemplate.name} (${otpTemplate.language})` : 'none: it cannot send passcodes';
            },
          },
        ]
      : []),
    ...(isChat
      ? [
          {
            head: 'Free text',
            cell: ({ channel, templateRequired }: SenderFragment) => {
              const { freeTextHours } = CHANNEL_FACTS[channel];
              if (freeTextHours === null) return 'always';
              return templateRequired
                ? 'never: a template is needed'
                : `within ${freeTextHours} hours after they wrote`;
            },
          },
        ]
      : []),
    {
      head: 'Since',
      cell: ({ approvedAt, createdAt }) => <Time at={approvedAt ?? createdAt} />,
    },
    ...(actions ? [{ head: 'Actions', cell: actions }] : []),
  ];
}
