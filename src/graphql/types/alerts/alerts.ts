/** Alerts in GraphQL: the rules of an account, and what was told. */
import { ALERT_SEND_STATUSES, ALERT_WAYS, Alert, AlertSend } from '../../../modules/alerts/alert.entity.ts';
import { ALERT_UNITS, KINDS, wordsOf } from '../../../modules/alerts/alert-kinds.ts';
import { AlertRule } from '../../../modules/alerts/alert-rule.entity.ts';
import { createAlertRuleInput, updateAlertRuleInput } from '../../../modules/alerts/alert-rule.input.ts';
import { listAlerts, listAlertsInput, openOfRules, sendsOfAlerts } from '../../../modules/alerts/list-alerts.ts';
import {
  createAlertRule,
  deleteAlertRule,
  listAlertRules,
  requireAlertCaller,
  updateAlertRule,
} from '../../../modules/alerts/manage-alert-rules.ts';
import { type AlertTest, type AlertTestSend, testAlertRule } from '../../../modules/alerts/sends/test-alert-rule.ts';
import { ALERT_KINDS, type AlertKind } from '../../../modules/answers/alert-kind.ts';
import { builder } from '../../builder.ts';
import { connectionOf, toConnection } from '../../connection.ts';
import { argsFrom, byInput, defineEnum } from '../../from-zod.ts';
import { WebhookTryRef } from '../webhooks/webhook-deliveries.ts';

const managed = { opens: ['management'] } as const;

const AlertKindEnum = defineEnum(
  'AlertKind',
  ALERT_KINDS,
  'What an alert rule is about.',
  Object.fromEntries(ALERT_KINDS.map(kind => [kind, `${KINDS[kind].meaning}.`])) as Record<AlertKind, string>,
);

const AlertUnitEnum = defineEnum('AlertUnit', ALERT_UNITS, 'What the threshold of a rule counts.', {
  credits: 'Credits that can be spent.',
  days: 'Days that the credits last.',
  percent: 'Per cent of the passcodes of an hour.',
  passcodes: 'Passcodes within an hour.',
});

const AlertWayEnum = defineEnum('AlertWay', ALERT_WAYS, 'How an alert goes to people.', {
  mail: 'By mail.',
  slack: 'To a URL that takes `{"text": "…"}`.',
});

const AlertSendStatusEnum = defineEnum('AlertSendStatus', ALERT_SEND_STATUSES, 'What became of an alert on its way.', {
  pending: 'It is on its way, or tried again.',
  sent: 'It was taken.',
  failed: 'It was given up.',
});

/** Each kind with what is offered for it. */
const OFFERS = ALERT_KINDS.map(kind => ({ kind, ...KINDS[kind], ...KINDS[kind].offer }));

const AlertOfferRef = builder.objectRef<(typeof OFFERS)[number]>('AlertOffer').implement({
  description: 'A kind of rule, and what is offered for it.',
  fields: t => ({
    kind: t.member('kind', AlertKindEnum, 'The kind.'),
    meaning: t.member('meaning', 'String', 'What it tells of.'),
    unit: t.nullable('unit', AlertUnitEnum, 'What its threshold counts; null: it has none.'),
    threshold: t.nullable('threshold', 'Int', 'The threshold of a rule that names none; null: the kind has none.'),
    lastingMinutes: t.member(
      'lastingMinutes',
      'Int',
      'How long it must last before it is told, where a rule does not say.',
    ),
    quietMinutes: t.member(
      'quietMinutes',
      'Int',
      'How long nothing more is told of the same thing, where a rule does not say.',
    ),
  }),
});

const AlertSettingsRef = builder.objectRef<{ readonly sendsMail: boolean }>('AlertSettings').implement({
  description: 'What rules can be made of.',
  fields: t => ({
    sendsMail: t.member('sendsMail', 'Boolean', 'Whether this gateway sends mail (`SMTP_URL`).'),
    offers: t.field({ type: [AlertOfferRef], description: 'The kinds of rules.', resolve: () => OFFERS }),
  }),
});

const AlertRuleRef = builder.objectType(AlertRule, {
  name: 'AlertRule',
  description: 'Something that the account is told of: by the events `alert.*`, and by the ways of the rule.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the rule, `alr_…`.'),
    kind: t.member('kind', AlertKindEnum, 'What it is about.'),
    threshold: t.nullable('threshold', 'Int', 'How many, in the unit of its kind; null: the kind has none.'),
    lastingMinutes: t.member('lastingMinutes', 'Int', 'How long it must last before it is told, in minutes.'),
    quietMinutes: t.member('quietMinutes', 'Int', 'How long nothing more is told of the same thing, in minutes.'),
    mail: t.member('mail', ['String'], 'The addresses that get a mail.'),
    slackHost: t.nullable('slackHost', 'String', 'The host of its Slack-compatible URL; null: it has none.'),
    paused: t.member('isPaused', 'Boolean', 'Whether nothing is told now.'),
    open: t.loadable({
      type: 'NonNegativeInt',
      description: 'How many things it told of that are not well again.',
      resolve: ({ id }) => id,
      load: (ids: string[], ctx) => openOfRules(ctx, ids),
      loaderOptions: { cache: false },
    }),
    createdAt: t.member('createdAt', 'DateTime', 'When it was created.'),
    updatedAt: t.member('updatedAt', 'DateTime', 'When it was changed last.'),
  }),
});

const AlertSendRef = builder.objectType(AlertSend, {
  name: 'AlertSend',
  description: 'An alert on its way to one address.',
  fields: t => ({
    way: t.member('way', AlertWayEnum, 'How it goes.'),
    target: t.member('target', 'String', 'The address, or the host of the URL.'),
    status: t.member('status', AlertSendStatusEnum, 'What became of it.'),
    error: t.nullable('error', 'String', 'Why the last try failed; null: none did.'),
    finishedAt: t.nullable('finishedAt', 'DateTime', 'When it was taken or given up; null: it is on its way.'),
  }),
});

const AlertRef = builder.objectType(Alert, {
  name: 'Alert',
  description: 'Something that was told: that something is wrong, or that it is well again.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the alert, `alt_…`.'),
    ruleId: t.member('ruleId', 'String', 'The rule that it was told by, `alr_…`; it may be deleted.'),
    kind: t.member('kind', AlertKindEnum, 'What it is about.'),
    raised: t.member('isRaised', 'Boolean', 'Whether it says that something is wrong; else that it is well again.'),
    subject: t.nullable('subject', 'String', 'The endpoint or the connection; null: it is about neither.'),
    text: t.string({ description: 'What was said.', resolve: alert => wordsOf(alert) }),
    since: t.member('since', 'DateTime', 'Since when it was wrong.'),
    createdAt: t.member('createdAt', 'DateTime', 'When it was told.'),
    sends: t.loadableGroup({
      type: AlertSendRef,
      description: 'How it went out, beside the event.',
      resolve: ({ id }) => id,
      load: (ids: string[], ctx) => sendsOfAlerts(ctx, ids),
      group: ({ alertId }) => alertId,
      loaderOptions: { cache: false },
    }),
  }),
});

const AlertTestSendRef = builder.objectRef<AlertTestSend>('AlertTestSend').implement({
  description: 'What became of a test on one way.',
  fields: t => ({
    way: t.member('way', AlertWayEnum, 'How it went.'),
    target: t.member('target', 'String', 'The address, or the host of the URL.'),
    error: t.nullable('error', 'String', 'Why it was not taken; null: it was.'),
  }),
});

const AlertTestRef = builder.objectRef<AlertTest>('AlertTest').implement({
  description: 'A sample that a rule told, and what was answered.',
  fields: t => ({
    text: t.member('text', 'String', 'What was said.'),
    sends: t.field({ type: [AlertTestSendRef], description: 'By the ways of the rule.', resolve: test => test.sends }),
    tries: t.member(
      'tries',
      [WebhookTryRef],
      'By the event `alert.raised`: the only try to each enabled endpoint that gets it.',
    ),
  }),
});

const AlertConnection = connectionOf(AlertRef, 'Alert', 'what was told', 'An alert');

builder.queryFields(t => ({
  alertSettings: t.field({
    type: AlertSettingsRef,
    description: 'The kinds of alert rules, and whether mail can be sent. Tokens: management.',
    policy: managed,
    resolve: (_root, _args, ctx) => {
      requireAlertCaller(ctx);
      return { sendsMail: ctx.services.mail.isSet };
    },
  }),
  alertRules: t.field({
    type: [AlertRuleRef],
    description: 'The alert rules of the account, oldest first. Tokens: management.',
    policy: managed,
    resolve: (_root, _args, ctx) => listAlertRules(ctx),
  }),
  alerts: t.field({
    type: AlertConnection,
    description: 'What was told to the account in the last 90 days, newest first. Tokens: management.',
    policy: managed,
    ...argsFrom(listAlertsInput),
    resolve: async (_root, args, ctx) => toConnection(await listAlerts(ctx, args)),
  }),
}));

builder.mutationFields(t => ({
  createAlertRule: t.field({
    type: AlertRuleRef,
    description: 'Creates an alert rule, of which an account has at most 20. Tokens: management.',
    policy: managed,
    ...byInput(createAlertRuleInput, 'The rule.', createAlertRule),
  }),
  updateAlertRule: t.field({
    type: AlertRuleRef,
    description: 'Changes an alert rule, pauses or resumes it. Tokens: management.',
    policy: managed,
    ...byInput(updateAlertRuleInput, 'What changes.', updateAlertRule),
  }),
  deleteAlertRule: t.field({
    type: AlertRuleRef,
    description: 'Deletes an alert rule, and answers it as it was. What was told stays. Tokens: management.',
    policy: managed,
    args: { ruleId: t.arg.string({ required: true, description: 'The rule.' }) },
    resolve: (_root, { ruleId }, ctx) => deleteAlertRule(ctx, ruleId),
  }),
  testAlertRule: t.field({
    type: AlertTestRef,
    description:
      'Tells a sample of an alert rule by all of its ways, once, and answers how that went; it is no alert of `alerts`. At most 10 a minute, tests of webhook endpoints included. Tokens: management.',
    policy: { ...managed, deadlineFor: 'nobody' },
    args: { ruleId: t.arg.string({ required: true, description: 'The rule.' }) },
    resolve: (_root, { ruleId }, ctx) => testAlertRule(ctx, ruleId),
  }),
}));
