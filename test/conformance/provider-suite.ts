import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CONFIG_GROUPS, type Provider, type SendRequest } from '../../src/channels/contract.ts';
import { dispatch, PROVIDER_DEADLINE_MS } from '../../src/channels/dispatch.ts';
import type { SendOutcome } from '../../src/channels/outcome.ts';
import type { Channel } from '../../src/kernel/channel.ts';
import { newId } from '../../src/kernel/ids.ts';
import { freePort } from '../support/processes/free-ports.ts';
import { describeInbound } from './inbound-suite.ts';
import type { Behaviour, MakeHarness, Probing, ProviderHarness } from './provider-harness.ts';
import { describeReceipts } from './receipt-suite.ts';

/** The deadline of a call that is not answered in time. */
export const SILENCE_DEADLINE_MS = 50;

const DEADLINE_MS = PROVIDER_DEADLINE_MS;
const TEXT = 'Your code is 314159, tell nobody.';

/** A sentence for people. */
const SENTENCE = /^[A-Z].*[.]$/;

/** Lets one test see the calls that dispatch makes. */
function watched(provider: Provider) {
  const calls: { readonly signal: AbortSignal; readonly outcome: Promise<SendOutcome> }[] = [];
  const watch: Provider = {
    ...provider,
    send(request, signal) {
      const outcome = provider.send(request, signal);
      calls.push({ signal, outcome });
      return outcome;
    },
  };
  return { provider: watch, calls };
}

/**
 * The duties of every provider, whatever its protocol. A new provider brings a harness and calls this. Its own matters (wire format, error
 * table, signatures of callbacks) have tests beside it.
 */
export function describeProvider(name: string, makeHarness: MakeHarness): void {
  describe(`the provider ${name}`, () => {
    let harness: ProviderHarness;
    let channel: Channel;

    beforeEach(async () => {
      harness = await makeHarness();
      channel = harness.provider.capabilities.channels[0] ?? 'sms';
      return () => harness.close?.();
    });

    const request = (to: string): Omit<SendRequest, 'tryNumber'> => ({
      attemptId: newId('att'),
      accountId: newId('acc'),
      channel,
      to,
      from: 'ACME',
      text: TEXT,
      template: null,
      validitySeconds: null,
    });
    const send = async (behaviour: Behaviour, deadlineMs = DEADLINE_MS): Promise<SendOutcome> =>
      dispatch(harness.provider, request(await prepared(behaviour)), deadlineMs);
    const prepared = async (behaviour: Behaviour): Promise<string> =>
      (await harness.prepare(behaviour)) ?? expect.fail(`the other end never does: ${behaviour}`);

    describe('tried without a text', () => {
      const probing = (): Probing => harness.probing ?? expect.fail('nobody connects it');
      const far = () => AbortSignal.timeout(DEADLINE_MS);
      const lacksProbe = () => harness.probing === null;

      test('works with a complete configuration, and leaves nothing', async ({ skip }) => {
        if (lacksProbe()) return skip();
        const probed = await probing().probe(harness.config, far());
        expect(probed).toEqual({ result: 'works', message: expect.stringMatching(SENTENCE) });
        expect(probing().texts()).toBe(0);
      });

      test('is refused with wrong credentials, and says what to do', async ({ skip }) => {
        if (lacksProbe()) return skip();
        const { field, ...probed } = await probing().probe(probing().wrong, far());
        expect(probed).toEqual({ result: 'refused', message: expect.stringMatching(/Check [a-zA-Z ,]+\b/) });
        if (field !== undefined) expect(harness.config).toHaveProperty(field);
      });

      test('is unreachable where nothing listens, or no host has the name, and says so', async ({ skip }) => {
        if (lacksProbe()) return skip();
        const port = await freePort();
        expect(await probing().probe(probing().at('127.0.0.1', port), far())).toEqual({
          result: 'unreachable',
          message: `Nothing listens at 127.0.0.1:${port}. Check the port, and that the provider is up.`,
        });
        expect(await probing().probe(probing().at('smsc.invalid', port), far())).toEqual({
          result: 'unreachable',
          message: expect.stringMatching(/^(No host has the name|The name) smsc\.invalid\b.* Check the host/),
        });
      });

      test('ends at its deadline', async ({ skip }) => {
        if (lacksProbe()) return skip();
        probing().stayDeaf();
        const probed = await probing().probe(harness.config, AbortSignal.timeout(SILENCE_DEADLINE_MS));
        expect(probed).toEqual({ result: 'unreachable', message: expect.stringMatching(SENTENCE) });
      });

      test('says no secret', async ({ skip }) => {
        if (lacksProbe()) return skip();
        const said = JSON.stringify([
          await probing().probe(harness.config, far()),
          await probing().probe(probing().wrong, far()),
        ]);
        for (const secret of harness.secrets) expect(said).not.toContain(secret);
      });
    });

    test('is what its definition says', () => {
      const { provider, definition } = harness;
      expect(provider.id).toBe(definition.id);
      expect(provider.id).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(provider.capabilities).toEqual(definition.capabilities);
      expect(new Set(provider.capabilities.channels).size).toBe(provider.capabilities.channels.length);
      expect(provider.capabilities.channels.length).toBeGreaterThan(0);
    });

    test('takes a complete configuration', () => {
      expect(harness.definition.configSchema.safeParse(harness.config).success).toBe(true);
    });

    test('refuses a configuration with an unknown key', () => {
      const parsed = harness.definition.configSchema.safeParse({ ...harness.config, surprise: true });
      expect(parsed.success).toBe(false);
    });

    test('has a configuration that a form can be made of: members with a name and a group, and its secrets marked', () => {
      const schema = z.toJSONSchema(harness.definition.configSchema, { io: 'input' });
      for (const [member, facts] of Object.entries(schema.properties ?? {}))
        expect([member, Object(facts).group]).toEqual([member, expect.toBeOneOf([...CONFIG_GROUPS])]);
      expect(unnamedIn(schema)).toEqual([]);
      const open = JSON.stringify(withoutSecrets(schema, harness.config));
      for (const secret of harness.secrets) expect(open).not.toContain(JSON.stringify(secret).slice(1, -1));
      for (const secret of harness.secrets)
        expect(JSON.stringify(harness.config)).toContain(JSON.stringify(secret).slice(1, -1));
    });

    test('answers accepted with its own id of the message', async () => {
      const outcome = await send('accept');
      expect(outcome).toEqual({ kind: 'accepted', providerMessageId: expect.any(String) });
      expect(outcome.kind === 'accepted' && outcome.providerMessageId).toMatch(/^\S{1,255}$/);
    });

    test('sends over each of its channels', async () => {
      for (const way of harness.provider.capabilities.channels) {
        const outcome = await dispatch(
          harness.provider,
          { ...request(await prepared('accept')), channel: way },
          DEADLINE_MS,
        );
        expect([way, outcome.kind]).toEqual([way, 'accepted']);
      }
    });

    test('takes a text that is worth something for a while only', async () => {
      for (const validitySeconds of [1, 300, 86_400]) {
        const soon = { ...request(await prepared('accept')), validitySeconds };
        await expect(dispatch(harness.provider, soon, DEADLINE_MS)).resolves.toMatchObject({ kind: 'accepted' });
      }
    });

    test('answers rejected, with a code and a message, for what is refused for good', async () => {
      await expect(send('reject')).resolves.toEqual({
        kind: 'rejected',
        code: expect.stringMatching(/^[a-z0-9_.-]{1,64}$/i),
        message: expect.stringMatching(/\S/),
      });
    });

    test('is handed the message again after throttled, and accepts it', async ({ skip }) => {
      const to = await harness.prepare('throttle once');
      if (to === null) return skip();
      const watch = watched(harness.provider);
      const outcome = await dispatch(watch.provider, request(to), DEADLINE_MS);
      const kinds = await Promise.all(watch.calls.map(async call => (await call.outcome).kind));
      expect(kinds).toEqual(['throttled', 'accepted']);
      expect(outcome.kind).toBe('accepted');
    });

    test('is aborted at the deadline, gives up at once, and the outcome is unknown', async () => {
      const watch = watched(harness.provider);
      const outcome = await dispatch(watch.provider, request(await prepared('stay silent')), SILENCE_DEADLINE_MS);
      expect(outcome).toMatchObject({ kind: 'unknown', code: 'timeout' });
      expect(watch.calls.map(call => call.signal.aborted)).toEqual([true]);
      // Whoever ignores the signal goes on and answers accepted.
      const [result] = await Promise.allSettled(watch.calls.map(call => call.outcome));
      expect(result?.status === 'fulfilled' ? result.value.kind : 'rejected').not.toBe('accepted');
    });

    test('leaves an unknown outcome when it breaks', async () => {
      await expect(send('break')).resolves.toMatchObject({ kind: 'unknown' });
    });

    test('keeps 200 messages at once apart', async () => {
      const to = await prepared('accept');
      const outcomes = await Promise.all(
        // The time of so many is that of the machine.
        Array.from({ length: 200 }, () => dispatch(harness.provider, request(to), 6 * DEADLINE_MS)),
      );
      const ids = outcomes.map(outcome => (outcome.kind === 'accepted' ? outcome.providerMessageId : outcome.kind));
      expect(new Set(ids).size).toBe(200);
      expect(ids).not.toContain('unknown');
    });

    test.each<[Behaviour, number]>([
      ['reject', DEADLINE_MS],
      ['throttle once', DEADLINE_MS],
      ['stay silent', SILENCE_DEADLINE_MS],
      ['break', DEADLINE_MS],
    ])('never says a secret, what the text or who the recipient was: %s', async (behaviour, deadlineMs) => {
      const watch = watched(harness.provider);
      const to = await harness.prepare(behaviour);
      if (to === null) return;
      const outcomes = [await dispatch(watch.provider, request(to), deadlineMs)];
      for (const result of await Promise.allSettled(watch.calls.map(call => call.outcome))) {
        if (result.status === 'fulfilled') outcomes.push(result.value);
      }
      for (const secret of [TEXT, '314159', to, ...harness.secrets])
        expect(JSON.stringify(outcomes)).not.toContain(secret);
    });
  });

  describeReceipts(name, makeHarness);
  describeInbound(name, makeHarness);
}

/** The paths of members without a title, at any depth. */
function unnamedIn(schema: unknown, path = ''): string[] {
  const { properties, anyOf = [] } = Object(schema);
  const own = Object.entries(properties ?? {}).flatMap(([name, member]) => [
    ...(Object(member).title ? [] : [`${path}${name}`]),
    ...unnamedIn(member, `${path}${name}.`),
  ]);
  return [...own, ...anyOf.flatMap((one: unknown) => unnamedIn(one, path))];
}

/** A configuration without what its schema calls secret. */
function withoutSecrets(schema: unknown, config: unknown): unknown {
  const { secret, properties, additionalProperties } = Object(schema);
  if (secret === true) return undefined;
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return config;
  const entries = Object.entries(config).map(([name, value]) => {
    const member = Object(properties)[name] ?? additionalProperties;
    return [name, withoutSecrets(member, value)];
  });
  return Object.fromEntries(entries);
}
