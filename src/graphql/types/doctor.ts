/** The doctor in GraphQL: `doctor`. */
import { ORDINARY } from '../../kernel/field-policy.ts';
import { examine } from '../../modules/doctor/examine.ts';
import { type DoctorReport, FINDING_STATUSES, type Finding } from '../../modules/doctor/finding.ts';
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
    findings: t.field({
      type: [FindingRef],
      description: 'Everything that was looked at.',
      resolve: ({ findings }) => [...findings],
    }),
  }),
});

builder.queryField('doctor', t =>
  t.field({
    type: DoctorReportRef,
    description:
      'Looks at settings, database, clock, disk, secret keys, webhooks and jobs, and says what to mend. The operator only.',
    policy: { ...ORDINARY, opens: 'operator' },
    resolve: (_root, _args, ctx) => examine(ctx),
  }),
);
