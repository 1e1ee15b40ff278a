import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  parse,
  subscribe,
  validate,
} from 'graphql';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { AREAS, type Area } from '../../../src/kernel/crypto/secrets.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { routes } from '../../../src/rest/routes.ts';
import { type Customer, OPERATOR_TOKEN } from '../../support/app.ts';
import { expectRows } from '../../support/expect-rows.ts';
import { setUpApp } from '../../support/fixtures.ts';
import { expectProblem } from '../../support/problems.ts';

const PLANS = {
  on: { seed: {}, code: null },
  off: { seed: { unifiedApi: false }, code: 'UNIFIED_API_DISABLED' },
  expired: { seed: { planExpiresAt: new Date(Date.now() - 60_000) }, code: 'PLAN_EXPIRED' },
} as const;

type Plan = keyof typeof PLANS;

const on = setUpApp();
let customers: Record<Plan, Customer>;

beforeAll(async () => {
  const [open, off, expired] = await Promise.all([
    on.customer(PLANS.on.seed),
    on.customer(PLANS.off.seed),
    on.customer(PLANS.expired.seed),
  ]);
  customers = { on: open, off, expired };
});

/**
 * The fields that an expired plan closes. `unified`: fields that serve `/api/omni/*`, closed to tokens of that area.
 * `webhooks`: the management of webhooks. All other fields stay open.
 */
const RULES: Record<string, 'unified' | 'webhooks' | 'open'> = {
  'Query.account': 'open',
  'Query.accounts': 'open',
  'Query.alertSettings': 'open',
  'Query.alertRules': 'open',
  'Query.suppressions': 'open',
  'Query.optOutSettings': 'open',
  'Query.autoReplies': 'open',
  'Query.alerts': 'open',
  'Query.auditActions': 'open',
  'Query.auditEntries': 'open',
  'Query.requests': 'open',
  'Query.exportRecipient': 'open',
  'Query.balance': 'open',
  'Query.connections': 'open',
  'Query.cloudTemplates': 'open',
  'Query.templateConnections': 'open',
  'Query.connectionGaps': 'open',
  'Query.providers': 'open',
  'Query.doctor': 'open',
  'Query.ledger': 'open',
  'Query.ledgerFaults': 'open',
  'Query.logHistogram': 'unified',
  'Query.inboundMessages': 'unified',
  'Query.people': 'unified',
  'Query.person': 'unified',
  'Query.conversation': 'unified',
  'Query.unreadPeople': 'unified',
  'Query.logs': 'unified',
  'Query.sends': 'unified',
  'Query.message': 'unified',
  'Query.messages': 'unified',
  'Query.otp': 'unified',
  'Query.otpSettings': 'open',
  'Query.otpSummary': 'unified',
  'Query.otps': 'unified',
  'Query.overview': 'unified',
  'Query.creditDays': 'unified',
  'Query.plants': 'open',
  'Query.previewOtp': 'unified',
  'Query.previewSend': 'unified',
  'Query.sandboxMessages': 'open',
  'Query.sandboxPhones': 'open',
  'Query.sandboxWaitForCode': 'open',
  'Query.sandboxWaitForText': 'open',
  'Query.recipients': 'unified',
  'Query.senderRules': 'open',
  'Query.sessions': 'open',
  'Query.users': 'open',
  'Query.gatewayStatus': 'open',
  'Query.roles': 'open',
  'Query.rights': 'open',
  'Query.invitationOffer': 'open',
  'Query.accountFigures': 'open',
  'Query.invitations': 'open',
  'Query.viewer': 'open',
  'Query.senders': 'open',
  'Query.tokens': 'open',
  'Query.webhookDeliveries': 'webhooks',
  'Query.webhookDelivery': 'webhooks',
  'Query.webhookEndpoint': 'webhooks',
  'Query.webhookEndpoints': 'webhooks',
  'Mutation.acceptInvitation': 'open',
  'Query.webhookEventKinds': 'webhooks',
  'Mutation.addSender': 'open',
  'Mutation.changePassword': 'open',
  'Mutation.inviteUser': 'open',
  'Mutation.removeUser': 'open',
  'Mutation.revokeInvitation': 'open',
  'Mutation.revokeSession': 'open',
  'Mutation.signIn': 'open',
  'Mutation.signInAsOperator': 'open',
  'Mutation.signInWithCode': 'open',
  'Query.signInOptions': 'open',
  'Mutation.requestPasswordReset': 'open',
  'Mutation.resetPassword': 'open',
  'Mutation.startOidc': 'open',
  'Mutation.signInByOidc': 'open',
  'Mutation.startSecondFactor': 'open',
  'Mutation.confirmSecondFactor': 'open',
  'Mutation.renewRecoveryCodes': 'open',
  'Mutation.turnOffSecondFactor': 'open',
  'Mutation.takeSecondFactorAway': 'open',
  'Mutation.requireSecondFactor': 'open',
  'Mutation.signOut': 'open',
  'Mutation.signOutEverywhere': 'open',
  'Mutation.updateUser': 'open',
  'Mutation.adjustBalance': 'open',
  'Mutation.approveSender': 'open',
  'Mutation.clearSandbox': 'open',
  'Mutation.createAccount': 'open',
  'Mutation.createPlant': 'open',
  'Mutation.createToken': 'open',
  'Mutation.forgetSecretKey': 'open',
  'Mutation.createAlertRule': 'open',
  'Mutation.updateAlertRule': 'open',
  'Mutation.deleteAlertRule': 'open',
  'Mutation.testAlertRule': 'open',
  'Mutation.createWebhookEndpoint': 'webhooks',
  'Mutation.deleteWebhookEndpoint': 'webhooks',
  'Mutation.enableWebhookEndpoint': 'webhooks',
  'Mutation.migrate': 'open',
  'Mutation.recoverWebhooks': 'webhooks',
  'Mutation.redeliverWebhook': 'webhooks',
  'Mutation.redeliverWebhooks': 'webhooks',
  'Mutation.removeSenderRule': 'open',
  'Mutation.addNote': 'unified',
  'Mutation.markRead': 'unified',
  'Mutation.removeNote': 'unified',
  'Mutation.reply': 'unified',
  'Mutation.resendMessage': 'unified',
  'Mutation.resendOtp': 'unified',
  'Mutation.updateToken': 'open',
  'Mutation.revokeToken': 'open',
  'Mutation.rotateWebhookSecret': 'webhooks',
  'Mutation.seedDemo': 'open',
  'Mutation.createConnection': 'open',
  'Mutation.updateConnection': 'open',
  'Mutation.deleteConnection': 'open',
  'Mutation.testConnection': 'open',
  'Mutation.syncTemplates': 'open',
  'Mutation.createOtpTemplate': 'open',
  'Mutation.probeConnection': 'open',
  'Mutation.renewReceiptsUrl': 'open',
  'Mutation.acceptChatRisks': 'open',
  'Mutation.unlinkConnection': 'open',
  'Mutation.sandboxNextReceipt': 'open',
  'Mutation.sandboxReceipt': 'open',
  'Mutation.sandboxReply': 'open',
  'Mutation.sendMessage': 'unified',
  'Mutation.sendOtp': 'unified',
  'Mutation.setOtpTemplate': 'open',
  'Mutation.setSenderRule': 'open',
  'Mutation.setTemplateRequired': 'open',
  'Mutation.testWebhookEndpoint': 'webhooks',
  'Mutation.triggerWebhookEvent': 'webhooks',
  'Mutation.updateAccount': 'open',
  'Mutation.updateBilling': 'open',
  'Mutation.updateRequestLog': 'open',
  'Mutation.updateOtpSettings': 'open',
  'Mutation.updateRegion': 'open',
  'Mutation.suppress': 'open',
  'Mutation.unsuppress': 'open',
  'Mutation.eraseRecipient': 'open',
  'Mutation.updateOptOutSettings': 'open',
  'Mutation.setAutoReply': 'open',
  'Mutation.removeAutoReply': 'open',
  'Mutation.updateWebhookEndpoint': 'webhooks',
  'Mutation.verifyOtp': 'unified',
  'Subscription.inboundMessageAdded': 'unified',
  'Subscription.linkConnection': 'open',
  'Subscription.logAdded': 'unified',
  'Subscription.sandboxMessageAdded': 'open',
  'Subscription.webhookEventAdded': 'webhooks',
  'Subscription.webhookTryAdded': 'webhooks',
};

/** The area whose tokens a rule closes a field to. */
const CLOSED_TO = { unified: 'unified', webhooks: 'management', open: null } as const;

/** A literal that the type takes. The value does not matter: the plan is asked for first. */
function literal(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(type.ofType);
  if (isListType(type)) return `[${literal(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) return `{ ${required(Object.values(type.getFields()))} }`;
  const scalars: Record<string, string> = {
    Int: '1',
    BigInt: '1',
    PositiveInt: '1',
    NonNegativeInt: '1',
    Boolean: 'true',
    DateTime: '"2026-01-01T00:00:00Z"',
    JSONObject: '{}',
    WebhookEventName: 'OTP_SENT',
  };
  return scalars[type.name] ?? '"x"';
}

function required(fields: readonly (GraphQLArgument | GraphQLInputField)[]): string {
  return fields
    .filter(field => isNonNullType(field.type) && field.defaultValue === undefined)
    .map(field => `${field.name}: ${literal(field.type)}`)
    .join(', ');
}

/** A call of a root field with the least that the schema takes, and with numbers that no rule does. */
function callOf(kind: string, field: GraphQLField<unknown, unknown>): string {
  const numbers = field.args.filter(({ type }) => String(type) === 'Int').map(({ name }) => `${name}: 0`);
  const args = [required(field.args), ...numbers].filter(Boolean).join(', ');
  const selection = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
  return `${kind} { ${field.name}${args && `(${args})`}${selection} }`;
}

function rootCalls(): [name: string, call: string][] {
  const { schema } = on.app;
  const kinds: [string, GraphQLObjectType | null | undefined][] = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ];
  return kinds.flatMap(([kind, type]) =>
    Object.values(type?.getFields() ?? {}).map((field): [string, string] => [
      `${type?.name}.${field.name}`,
      callOf(kind, field),
    ]),
  );
}

/** The code of the plan that a call is refused with; null: it is not, whatever else became of it. */
async function planCode(call: string, token: string): Promise<string | null> {
  const codes = call.startsWith('subscription') ? await follow(call, token) : await ask(call, token);
  return codes.find(code => code === 'UNIFIED_API_DISABLED' || code === 'PLAN_EXPIRED') ?? null;
}

async function ask(query: string, token: string): Promise<string[]> {
  // A document that does not fit the schema would tell nothing.
  expect([query, validate(on.app.schema, parse(query))]).toEqual([query, []]);
  const { errors } = await on.graphql(query, { token });
  return errors?.map(error => error.extensions.code) ?? [];
}

async function follow(query: string, token: string): Promise<string[]> {
  const contextValue = on.app.makeCtx(await on.app.authenticator.authenticate(`Bearer ${token}`), 'test');
  const result = await subscribe({ schema: on.app.schema, document: parse(query), contextValue });
  if (!('errors' in result)) {
    if (Symbol.asyncIterator in result) await result.return(undefined);
    return [];
  }
  return (result.errors ?? []).map(({ originalError }) =>
    originalError && 'code' in originalError ? String(originalError.code).toUpperCase() : 'UNKNOWN',
  );
}

describe('the plan and the fields', () => {
  test('every root field has a rule in this file', () => {
    expectRows(
      'RULES',
      Object.keys(RULES),
      rootCalls().map(([name]) => name),
    );
  });

  test.each(Object.entries(RULES))('%s: %s', async (name, rule) => {
    const call = new Map(rootCalls()).get(name) ?? '';
    const heard: Record<string, string | null> = {};
    const wanted: Record<string, string | null> = {};
    for (const [plan, { code }] of Object.entries(PLANS)) {
      for (const area of AREAS) {
        heard[`${plan} ${area}`] = await planCode(call, customers[plan as Plan].tokens[area]);
        wanted[`${plan} ${area}`] = area === CLOSED_TO[rule] ? code : null;
      }
    }
    expect(heard).toEqual(wanted);
  });
});

describe('the plan and the paths', () => {
  test.each(routes.map(route => [`${route.method} ${route.path}`, route] as const))('%s', async (_name, route) => {
    const isClosed = route.path.startsWith('/api/omni/');
    const area: Area = route.facts.area === 'any' ? 'unified' : route.facts.area;
    const heard: Record<string, unknown> = {};
    const wanted: Record<string, unknown> = {};
    for (const [plan, { code }] of Object.entries(PLANS)) {
      const body = route.method === 'GET' ? {} : { body: {} };
      const answer = await on.rest(route.method, route.path, { token: customers[plan as Plan].tokens[area], ...body });
      if (answer.status === 403) expectProblem(answer, 403, String(answer.body.code));
      heard[plan] = answer.status === 403 ? answer.body.code : 'open';
      wanted[plan] = isClosed && code !== null ? code.toLowerCase() : 'open';
    }
    expect(heard).toEqual(wanted);
  });
});

describe('the end of a plan', () => {
  const call = (token: string) => on.rest('GET', '/api/omni/logs', { token });

  test('holds within a second, by the clock of the database, without anybody telling', async () => {
    const { accountId, tokens } = await on.customer();
    await call(tokens.unified);
    await on.sql(`update accounts set plan_expires_at = clock_timestamp() where id = $1`, [toUuid(accountId)]);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
    onTestFinished(() => void vi.restoreAllMocks());
    const { status, body } = await call(tokens.unified);
    expect([status, body.code]).toEqual([403, 'plan_expired']);
  });

  test('is not before its time', async () => {
    const { tokens } = await on.customer({ planExpiresAt: new Date(Date.now() + 3_600_000) });
    expect((await call(tokens.unified)).status).toBe(200);
  });

  test.each(['0000-01-01T00:00:00Z', '1969-12-31T23:59:59Z'])(
    'is no time before all plans, like %s',
    async planExpiresAt => {
      const { accountId } = await on.customer();
      const { errors } = await on.graphql(
        'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
        {
          token: OPERATOR_TOKEN,
          variables: { input: { accountId, planExpiresAt } },
        },
      );
      expect(errors).toMatchObject([
        {
          extensions: {
            code: 'INVALID_INPUT',
            errors: [{ field: 'planExpiresAt', message: 'must be a time from 1970 to 9999' }],
          },
        },
      ]);
    },
  );
});
