/** Alerts that were told to an account, and their sends by mail and chat. */
import { defineEntity, p } from '@mikro-orm/core';
import { IdType } from '../../db/id-type.ts';
import { ownerIn } from '../accounts/account.entity.ts';
import { ALERT_KINDS } from '../answers/alert-kind.ts';

const AlertSchema = defineEntity({
  name: 'Alert',
  tableName: 'alerts',
  properties: {
    id: p.type(new IdType('alt')).primary(),
    accountId: () => ownerIn('alerts'),
    /** The rule, which may be gone by now. */
    ruleId: p.type(new IdType('alr')),
    kind: p.enum([...ALERT_KINDS]),
    /** True: something went wrong. False: all is well again. */
    isRaised: p.boolean(),
    /** The public id of the endpoint or the connection; null: it is about neither. */
    subject: p.text().nullable(),
    name: p.text().nullable(),
    value: p.double().$type<number>().nullable(),
    threshold: p.integer().nullable(),
    /** Since when it was ill. */
    since: p.datetime(),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'alerts_account_id_id_index', properties: ['accountId', 'id'] }],
});

/** One thing that was told. */
export class Alert extends AlertSchema.class {}
AlertSchema.setClass(Alert);

/** The ways to people. */
export const ALERT_WAYS = ['mail', 'slack'] as const;

/** One of them. */
export type AlertWay = (typeof ALERT_WAYS)[number];

/** The states of one send of an alert. */
export const ALERT_SEND_STATUSES = ['pending', 'sent', 'failed'] as const;

const AlertSendSchema = defineEntity({
  name: 'AlertSend',
  tableName: 'alert_sends',
  properties: {
    id: p.uuid().primary(),
    alertId: () =>
      p
        .manyToOne(Alert)
        .mapToPk()
        .fieldNames('alert_id')
        .foreignKeyName('alert_sends_alert_id_foreign')
        .deleteRule('cascade')
        .index('alert_sends_alert_id_index'),
    way: p.enum([...ALERT_WAYS]),
    /** The address, or the host of the URL. */
    target: p.text(),
    status: p.enum([...ALERT_SEND_STATUSES]).default('pending'),
    tries: p.integer().default(0),
    /** Why the last try failed; null: none did. */
    error: p.text().nullable(),
    /** When it was sent or given up. */
    finishedAt: p.datetime().nullable(),
  },
});

/** One alert on its way to one address. */
export class AlertSend extends AlertSendSchema.class {}
AlertSendSchema.setClass(AlertSend);
