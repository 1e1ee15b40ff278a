/** How the gateway stands in GraphQL: `doctor` and `gatewayStatus`. */
import packageJson from '../../../package.json' with { type: 'json' };
import { REPLICA_STATES, type ReplicaReading } from '../../db/replica/wake.ts';
import { examine } from '../../modules/doctor/examine.ts';
import { type DoctorReport, FINDING_STATUSES, type Finding } from '../../modules/doctor/finding.ts';
import { type GatewayStatus, gatewayStatus } from '../../modules/doctor/status.ts';
import type { OverviewTotals } from '../../modules/figures/overview.policy.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../from-zod.ts';

const FindingStatusEnum = defineEnum(
  'DoctorStatus',
  FINDING_STATUSES,
  'How something stands that the doctor looked at.',
  {
    ok: 'As it should.',
    warning: 'It is odd or risky, and may be meant.',
    fault: 'It is broken.',
  },
);

const FindingRef = builder.objectRef<Finding>('DoctorFinding').implement({
  description: 'One thing that the doctor looked at. It holds no secret.',
  fields: t => ({
    name: t.member('name', 'String', 'What it is about, such as `database.version`.'),
    status: t.member('status', FindingStatusEnum, 'How it stands.'),
    message: t.member('message', 'String', 'What was found.'),
    mend: t.nullable('mend', 'String', 'What mends it; null: nothing need be mended.'),
  }),
});

const DoctorReportRef = builder.objectRef<DoctorReport>('DoctorReport').implement({
  description: 'How the gateway stands that was asked, and what it stands on.',
  fields: t => ({
    status: t.member('status', FindingStatusEnum, 'The worst of the findings.'),
    findings: t.member('findings', [FindingRef], 'Everything that was looked at.'),
  }),
});

const TodaysFiguresRef = builder.objectRef<OverviewTotals>('TodaysFigures').implement({
  description: 'The attempts of all accounts since midnight (UTC).',
  fields: t => ({
    attempts: t.member('attempts', 'NonNegativeInt', 'Attempts over channels.'),
    accepted: t.member('accepted', 'NonNegativeInt', 'Those at `SENT`, `DELIVERED` or `READ`.'),
    failed: t.member('failed', 'NonNegativeInt', 'Those at `FAILED` or `EXPIRED`.'),
    credits: t.member('credits', 'NonNegativeInt', 'Credits that they cost.'),
  }),
});

const ReplicaStateEnum = defineEnum('ReplicaState', REPLICA_STATES, 'How a read replica stands.', {
  following: 'Lists and figures are read from it.',
  behind: 'It is too far behind, or has just begun.',
  away: 'It does not answer.',
  promoted: 'It is a primary itself.',
  foreign: 'It has another database.',
});

const ReplicaRef = builder.objectRef<ReplicaReading>('ReplicaStatus').implement({
  description: 'How the read replica stands, as the process that answers sees it.',
  fields: t => ({
    state: t.member('state', ReplicaStateEnum, 'How it stands.'),
    lagSeconds: t.nullable('lagSeconds', 'Float', 'How far it is behind; null: not known yet.'),
  }),
});

const GatewayStatusRef = builder.objectRef<GatewayStatus>('GatewayStatus').implement({
  description: 'How a gateway stands, over all accounts.',
  fields: t => ({
    version: t.string({ description: 'The version of the gateway.', resolve: () => packageJson.version }),
    database: t.member('database', 'String', 'The version of its PostgreSQL.'),
    isEmbedded: t.member('isEmbedded', 'Boolean', 'Whether that is the embedded database.'),
    replica: t.nullable('replica', ReplicaRef, 'The read replica; null: there is none.'),
    accounts: t.member('accounts', 'NonNegativeInt', 'Accounts.'),
    connectionsUp: t.member('up', 'NonNegativeInt', 'Connections that are up.'),
    connectionsDown: t.member('down', 'NonNegativeInt', 'Connections that are down.'),
    connectionsUnused: t.member('unused', 'NonNegativeInt', 'Connections that were not used yet.'),
    connectionsPaused: t.member('paused', 'NonNegativeInt', 'Connections that are paused.'),
    deliveriesDue: t.member(
      'deliveriesDue',
      'NonNegativeInt',
      'Webhook deliveries that are to be tried now; counted up to 10,000.',
    ),
    deliveriesLate: t.member(
      'deliveriesLate',
      'NonNegativeInt',
      'Those that are late by more than a minute; counted up to 10,000.',
    ),
    jobsLate: t.member('jobsLate', 'NonNegativeInt', 'Jobs that are late by more than a minute; counted up to 10,000.'),
    today: t.member('today', TodaysFiguresRef, 'What was sent today.'),
  }),
});

builder.queryFields(t => ({
  doctor: t.field({
    type: DoctorReportRef,
    description:
      'Looks at settings, database, clock, disk, secret keys, webhooks and jobs, and says what to mend. The operator only.',
    policy: { opens: 'operator' },
    resolve: (_root, _args, ctx) => examine(ctx),
  }),
  gatewayStatus: t.field({
    type: GatewayStatusRef,
    description:
      'How the gateway stands at a glance: version, database, connections, backlog and what was sent today. The operator only.',
    policy: { opens: 'operator' },
    resolve: (_root, _args, ctx) => gatewayStatus(ctx),
  }),
}));
