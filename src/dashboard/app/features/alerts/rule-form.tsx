/** Makes a rule, or changes one. */
import { Checkbox, NumberInput, Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/hooks.ts';
import {
  type AlertKind,
  type AlertRulesQuery,
  CreateAlertRuleDocument,
  UpdateAlertRuleDocument,
} from '../../api/operations.generated.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { type Fields, FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { KIND_WORDS, type Offer, type Rule, UNIT_LABELS } from './rule-words.ts';

type Settings = AlertRulesQuery['alertSettings'];

const FIELDS = ['kind', 'threshold', 'lastingMinutes', 'quietMinutes', 'mail', 'slackUrl'];

const KINDS = Object.entries(KIND_WORDS).map(([value, label]) => ({ value, label }));

/** The dialog. `rule` null: a new one. */
export function RuleForm({
  settings,
  rule,
  close,
}: {
  readonly settings: Settings;
  readonly rule: Rule | null;
  readonly close: () => void;
}): ReactNode {
  const create = useChange(CreateAlertRuleDocument);
  const update = useChange(UpdateAlertRuleDocument);
  const [kind, setKind] = useState<AlertKind>(rule?.kind ?? 'ENDPOINT_FAILING');
  const offer = settings.offers.find(one => one.kind === kind);
  const failure = rule ? update.error : create.error;
  const mail = (rule ? update : create).variables?.input.mail;
  const submit = (fields: Fields): void => {
    const given = { ...timesOf(fields), ...waysOf(fields, settings) };
    if (rule) update.mutate({ input: { ruleId: rule.id, ...given } }, { onSuccess: close });
    else create.mutate({ input: { kind, ...given } }, { onSuccess: close });
  };
  return (
    <FormDialog
      title={rule ? 'Edit the rule' : 'Create rule'}
      button={rule ? 'Save rule' : 'Create rule'}
      failure={failure}
      fields={FIELDS}
      isBusy={create.isPending || update.isPending}
      close={close}
      submit={submit}
    >
      <Select
        label="Tell when"
        description={offer && `${offer.meaning}.`}
        data={KINDS}
        value={kind}
        allowDeselect={false}
        readOnly={rule !== null}
        onChange={value => value && setKind(value as AlertKind)}
        error={faultAt(failure, 'kind')}
        data-autofocus
      />
      {offer && <Numbers key={kind} from={rule ?? offer} unit={offer.unit} failure={failure} />}
      <TextInput
        name="mail"
        label="By mail to"
        description={
          settings.sendsMail
            ? 'Up to five addresses, separated by commas; optional'
            : 'This gateway sends no mail: its operator sets SMTP_URL'
        }
        placeholder="ops@example.com"
        defaultValue={rule?.mail.join(', ') ?? ''}
        disabled={!settings.sendsMail}
        autoComplete="off"
        error={faultAt(failure, 'mail', place => mail?.[Number(place)] ?? place)}
      />
      <TextInput
        name="slackUrl"
        label="By a Slack-compatible URL"
        description={
          rule?.slackHost
            ? `It goes to ${rule.slackHost}; leave this empty to keep that`
            : 'An incoming webhook of Slack, Mattermost, Rocket.Chat or Google Chat; optional, and never shown again'
        }
        placeholder="https://hooks.slack.com/services/…"
        autoComplete="off"
        error={faultAt(failure, 'slackUrl')}
      />
      {rule?.slackHost && <Checkbox name="forgetUrl" label={`Stop posting to ${rule.slackHost}`} />}
    </FormDialog>
  );
}

/** The threshold and the times, as they are or as they are offered. */
function Numbers({
  from,
  unit,
  failure,
}: {
  readonly from: Pick<Rule, 'threshold' | 'lastingMinutes' | 'quietMinutes'>;
  readonly unit: Offer['unit'];
  readonly failure: Parameters<typeof faultAt>[0];
}): ReactNode {
  return (
    <>
      {unit && (
        <NumberInput
          name="threshold"
          label={UNIT_LABELS[unit]}
          defaultValue={from.threshold ?? ''}
          hideControls
          allowDecimal={false}
          required
          error={faultAt(failure, 'threshold')}
        />
      )}
      <NumberInput
        name="lastingMinutes"
        label="Once it has lasted for"
        description="Minutes; 0: at once"
        defaultValue={from.lastingMinutes}
        hideControls
        allowDecimal={false}
        required
        error={faultAt(failure, 'lastingMinutes')}
      />
      <NumberInput
        name="quietMinutes"
        label="Then quiet for"
        description="Minutes without another alert about the same thing, 5 at least; you are told at once when it is well again"
        defaultValue={from.quietMinutes}
        hideControls
        allowDecimal={false}
        required
        error={faultAt(failure, 'quietMinutes')}
      />
    </>
  );
}

function timesOf({ threshold, lastingMinutes, quietMinutes }: Fields) {
  return {
    ...(threshold && { threshold: Number(threshold) }),
    lastingMinutes: Number(lastingMinutes),
    quietMinutes: Number(quietMinutes),
  };
}

function waysOf({ mail = '', slackUrl = '', forgetUrl }: Fields, { sendsMail }: Settings) {
  const addresses = mail.split(',').flatMap(address => address.trim() || []);
  const url = slackUrl.trim();
  return {
    ...(sendsMail && { mail: addresses }),
    ...(url ? { slackUrl: url } : forgetUrl && { slackUrl: null }),
  };
}
