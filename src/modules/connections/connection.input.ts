/** The inputs of the verbs on connections. The schema of the provider checks the config. */
import { z } from 'zod';
import { CHANNELS, PURPOSES } from '../../kernel/channel.ts';
import { intBetween, oneOf } from '../../kernel/input.ts';
import { isCountry } from '../../kernel/phone.ts';
import { nameInput } from '../../kernel/storable.ts';

/** Far more than anybody orders by hand. */
const PRIORITY_MAX = 10_000;
const WEIGHT_MAX = 1_000;

const name = nameInput(100);
const config = z.record(z.string(), z.unknown());
const priority = intBetween(0, PRIORITY_MAX);
const weight = intBetween(1, WEIGHT_MAX);

/** Each once, at least one. */
const listOf = <Item extends z.ZodType>(item: Item, what: string) =>
  z
    .array(item)
    .min(1, `must name at least one ${what}; leave it out for all`)
    .max(300, 'must name each once')
    .refine(items => new Set(items).size === items.length, 'must name each once');

const country = z
  .string()
  .transform(text => text.toUpperCase())
  .refine(isCountry, 'must be the code of a country, two letters like US');

const countries = listOf(country, 'country');
const purposes = listOf(oneOf(PURPOSES), 'purpose');

const DESCRIPTIONS = {
  name: 'What people call it, 1 to 100 characters',
  config: 'What the provider needs; `providers` has its schema',
  priority: 'The lowest goes first, 0 to 10,000; 100 where absent',
  weight: 'Its share of the recipients among connections with the same priority, 1 to 1,000; 1 where absent',
  countries: 'The recipients’ countries, ISO 3166-1 alpha-2; absent: all',
  purposes: 'What it sends; absent: all',
} as const;

/** The input of `createConnection`. */
export const createConnectionInput = z
  .strictObject({
    accountId: z.string().nullish().meta({ description: 'The account; absent: shared by all' }),
    provider: z.string().meta({ description: 'The id of the provider' }),
    channel: oneOf(CHANNELS).meta({ description: 'The channel' }),
    name: name.meta({ description: DESCRIPTIONS.name }),
    config: config.meta({ description: DESCRIPTIONS.config }),
    priority: priority.nullish().meta({ description: DESCRIPTIONS.priority }),
    weight: weight.nullish().meta({ description: DESCRIPTIONS.weight }),
    countries: countries.nullish().meta({ description: DESCRIPTIONS.countries }),
    purposes: purposes.nullish().meta({ description: DESCRIPTIONS.purposes }),
  })
  .meta({ id: 'CreateConnectionInput', description: 'A new connection' });

/** The input of `updateConnection`: what is absent stays; null as countries or purposes is all. */
export const updateConnectionInput = z
  .strictObject({
    connectionId: z.string().meta({ description: 'The connection' }),
    name: name.nullish().meta({ description: DESCRIPTIONS.name }),
    config: config
      .nullish()
      .meta({ description: 'The whole config from now on; a secret that is given as it is shown stays as it is' }),
    priority: priority.nullish().meta({ description: DESCRIPTIONS.priority }),
    weight: weight.nullish().meta({ description: DESCRIPTIONS.weight }),
    countries: countries.nullish().meta({ description: 'The recipients’ countries; null: all' }),
    purposes: purposes.nullish().meta({ description: 'What it sends; null: all' }),
    paused: z
      .boolean()
      .nullish()
      .meta({ description: 'True: nothing more goes by it, and what is in flight ends. False: it is used again' }),
  })
  .meta({ id: 'UpdateConnectionInput', description: 'What changes of a connection. What is absent stays as it is' });

/** The input of `probeConnection`. */
export const probeConnectionInput = z
  .strictObject({
    provider: z.string().meta({ description: 'The id of the provider' }),
    config: config.meta({ description: DESCRIPTIONS.config }),
    connectionId: z.string().nullish().meta({
      description: 'The connection that the config is to be of: a secret that is given as it is shown is its own',
    }),
  })
  .meta({ id: 'ProbeConnectionInput', description: 'A config that is tried before it is kept' });

/** A config that is to be tried, checked. */
export type ProbeConnectionInput = z.output<typeof probeConnectionInput>;

/** A new connection, checked. */
export type CreateConnectionInput = z.output<typeof createConnectionInput>;

/** The changes of a connection, checked. */
export type UpdateConnectionInput = z.output<typeof updateConnectionInput>;
