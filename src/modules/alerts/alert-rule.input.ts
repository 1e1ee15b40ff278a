/** The inputs of the verbs on alert rules. */
import { z } from 'zod';
import { oneOf, wholeFrom } from '../../kernel/input.ts';
import { ALERT_KINDS } from '../answers/alert-kind.ts';

/** How many addresses a rule has at most. */
const ADDRESSES_MAX = 5;

const WEEK_MINUTES = 10_080;

const EMAIL_LENGTH_MAX = 254;

const URL_LENGTH_MAX = 2_048;

function minutes(min: number) {
  return wholeFrom(min, WEEK_MINUTES, `must be a whole number of minutes from ${min} to ${WEEK_MINUTES}`);
}

const threshold = z.int('must be a whole number').meta({
  description: 'How many, in the `unit` of its kind; null: the kind has none',
});

const mail = z
  .array(
    z
      .string()
      .trim()
      .toLowerCase()
      .max(EMAIL_LENGTH_MAX, `must have at most ${EMAIL_LENGTH_MAX} characters`)
      .regex(z.regexes.email, 'must be an e-mail address'),
  )
  .max(ADDRESSES_MAX, `must name at most ${ADDRESSES_MAX} addresses`)
  .refine(addresses => new Set(addresses).size === addresses.length, 'must name each address once')
  .meta({ description: `The addresses that get a mail, at most ${ADDRESSES_MAX}` });

/** The format alone is checked here: the address is checked when the URL is stored, and at every connection. */
const slackUrl = z
  .string()
  .trim()
  .max(URL_LENGTH_MAX, `must have at most ${URL_LENGTH_MAX} characters`)
  .refine(text => URL.canParse(text), 'must be a URL, like https://hooks.slack.com/services/…')
  .meta({
    description:
      'A URL that takes `{"text": "…"}`, as incoming webhooks of Slack, Mattermost, Rocket.Chat and Google Chat do; it is never shown again',
  });

// A shorter quiet time would turn a burst into an alert every minute.
const QUIET_MIN = 5;

const lastingMinutes = minutes(0).meta({ description: 'How long it must last before it is told, in minutes' });

const quietMinutes = minutes(QUIET_MIN).meta({
  description: `How long nothing more is told of the same thing, in minutes, ${QUIET_MIN} at least; that it is well again is told at once`,
});

/** The input of `createAlertRule`. */
export const createAlertRuleInput = z
  .strictObject({
    kind: oneOf(ALERT_KINDS).meta({ description: 'What it is about' }),
    threshold: threshold
      .nullish()
      .meta({ description: 'How many, in the `unit` of its kind; absent: what is offered' }),
    lastingMinutes: lastingMinutes.nullish(),
    quietMinutes: quietMinutes.nullish(),
    mail: mail.nullish(),
    slackUrl: slackUrl.nullish(),
  })
  .meta({ id: 'CreateAlertRuleInput', description: 'A new rule. What is absent is as `alertSettings` offers it' });

/** The input of `updateAlertRule`. Null takes the URL away, and elsewhere changes nothing. */
export const updateAlertRuleInput = z
  .strictObject({
    ruleId: z.string().meta({ description: 'The rule' }),
    threshold: threshold.nullish(),
    lastingMinutes: lastingMinutes.nullish(),
    quietMinutes: quietMinutes.nullish(),
    mail: mail.nullish(),
    slackUrl: slackUrl.nullish().meta({ description: 'A URL that takes `{"text": "…"}`; null takes it away' }),
    paused: z.boolean().nullish().meta({ description: 'True: nothing is told from now on. False: it is told again' }),
  })
  .meta({
    id: 'UpdateAlertRuleInput',
    description: 'What changes of a rule. What is absent stays as it is; what it watches is looked at anew',
  });

/** The checked input of `createAlertRule`. */
export type CreateAlertRuleInput = z.output<typeof createAlertRuleInput>;

/** The checked input of `updateAlertRule`. */
export type UpdateAlertRuleInput = z.output<typeof updateAlertRuleInput>;
