/** Asks for what makes a connection: its provider, its channel, its name, and what the provider needs. */
import { z } from 'zod';
import type { Channel } from '../../kernel/channel.ts';
import type { Asker } from './ask.ts';

/** A provider, as the schema tells of it. */
export interface AskedProvider {
  readonly id: string;
  readonly label: string;
  readonly channels: readonly Channel[];
  readonly configSchema: unknown;
}

/** The given parts of a connection; undefined ones are asked for. */
export interface GivenConnection {
  readonly account?: string | undefined;
  readonly provider?: string | undefined;
  readonly channel?: Channel | undefined;
  readonly name?: string | undefined;
  readonly config?: Record<string, unknown> | undefined;
}

/** A connection with all of its parts. */
export type AskedConnection = {
  readonly [Name in keyof Required<GivenConnection>]: NonNullable<GivenConnection[Name]>;
};

/** The providers and accounts to choose from. */
interface Choices {
  readonly providers: readonly AskedProvider[];
  readonly accounts: readonly { readonly accountId: string; readonly name: string }[];
  /** The word for all accounts. */
  readonly shared: string;
}

/** Asks for what is missing, in the order of the command. @throws Refusal where the person breaks it off */
export async function askConnection(
  asker: Asker,
  given: GivenConnection,
  { providers, accounts, shared }: Choices,
): Promise<AskedConnection> {
  const account =
    given.account ??
    (await asker.choose('For which account?', [
      ...accounts.map(({ accountId, name }) => ({ value: accountId, name: `${name} (${accountId})` })),
      { value: shared, name: 'All accounts without connections of their own' },
    ]));
  const known = (id: string) => providers.find(provider => provider.id === id);
  const provider =
    given.provider ??
    (await asker.choose(
      'Which provider?',
      providers.map(({ id, label }) => ({ value: id, name: label })),
    ));
  const channels = known(provider)?.channels ?? [];
  const channel = given.channel ?? (await only(asker, channels));
  const name = given.name ?? (await asker.text('What is it called?', { preset: known(provider)?.label ?? provider }));
  const config = given.config ?? (await askConfig(asker, known(provider)?.configSchema));
  return { account, provider, channel, name, config };
}

async function only(asker: Asker, channels: readonly Channel[]): Promise<Channel> {
  const [first, second] = channels;
  if (first !== undefined && second === undefined) return first;
  return asker.choose(
    'Over which channel?',
    channels.map(value => ({ value, name: value })),
  );
}

/** A member of a JSON Schema, as far as it is read. */
const MEMBER = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  writeOnly: z.boolean().optional(),
  enum: z.array(z.string()).optional(),
});
const SCHEMA = z.looseObject({ properties: z.record(z.string(), MEMBER), required: z.array(z.string()).default([]) });

type Member = z.infer<typeof MEMBER>;

/** Asks for the required members of a config. The others have presets, and `connection set --config` gives them. */
async function askConfig(asker: Asker, schema: unknown): Promise<Record<string, unknown>> {
  const { properties, required } = SCHEMA.parse(schema);
  const config: Record<string, unknown> = {};
  for (const name of required) config[name] = await askMember(asker, name, properties[name] ?? {});
  return config;
}

async function askMember(asker: Asker, name: string, { type, description, writeOnly, enum: words }: Member) {
  const question = description === undefined ? name : `${name}: ${description}`;
  if (words)
    return asker.choose(
      question,
      words.map(value => ({ value, name: value })),
    );
  if (type === 'string') return writeOnly ? asker.secret(question) : (await asker.text(question)).trim();
  if (type === 'integer' || type === 'number') {
    const answer = await asker.text(question, {
      check: typed => (typed.trim() !== '' && Number.isFinite(Number(typed))) || 'Type a number.',
    });
    return Number(answer);
  }
  return JSON.parse(
    await asker.text(`${question} (JSON)`, { check: typed => isJson(typed) || 'Type JSON.' }),
  ) as unknown;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
