/** Every connection as this process knows it: read at the start, and again within a second of each change (contract §12). */
import type { ConnectionServices, Inbound, ProviderDefinition, Report } from '../../../channels/contract.ts';
import type { SendOutcome } from '../../../channels/outcome.ts';
import type { ChoiceReason, Considered, PassedOver, Verdict, Wanted } from '../../../channels/providers.ts';
import { providerOf } from '../../../channels/registry.ts';
import { LiveReading } from '../../../db/feeds/live-reading.ts';
import type { Database } from '../../../db/orm.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import type { CloudTemplates } from '../../../kernel/process/cloud-templates.ts';
import { CONNECTION_CHANNEL } from '../announce-connections.ts';
import { Connection } from '../connection.entity.ts';
import type { HealthTable } from '../health/health-table.ts';
import { type Opened, openConfig } from '../sealed-config.ts';
import { takeTurn } from '../turns/take-turn.ts';
import type { BreakerState } from './breaker.ts';
import {
  type Ailment,
  type ByAccount,
  behind,
  type Choosable,
  chooseConnections,
  connectionsFor,
  misfit,
  wellFirst,
} from './choose.policy.ts';
import { Line } from './line.ts';

/** A connection with what it sends by. */
export interface LiveConnection extends Choosable {
  readonly name: string;
  /** The id of its provider. */
  readonly providerId: string;
  /** The token in the address of its receipts; null: it cannot be used. */
  readonly receiptsToken: string | null;
  /** Null: it cannot be used. */
  readonly line: Line | null;
  /** The config and the address of receipts that its line was made of, as JSON. */
  readonly version: string;
}

/** The ailment of one that is down. */
const DOWN: Ailment = { verdict: 'down' };

/** The parts of the table. */
export interface ConnectionTableParts extends Pick<ConnectionServices, 'userAgent' | 'chatQrDir'> {
  readonly database: Database;
  readonly keys: KeyRing;
  /** The sick ones. */
  readonly health: Omit<HealthTable, 'close'>;
  /** The address of the receipts of a connection, whole. */
  receiptsUrl(connectionId: string, token: string): string;
  /** Stores what came by a connection itself. Rejects where it could not be stored. */
  receive(connection: LiveConnection, reports: readonly Report[]): Promise<void>;
  /** Stores what people wrote by a connection itself. Rejects where it could not be stored. */
  hear(connection: LiveConnection, messages: readonly Inbound[]): Promise<unknown>;
  /** Sends by the session of a connection, whichever process owns it. */
  bySession(connectionId: string, ...send: Parameters<ConnectionServices['bySession']>): Promise<SendOutcome>;
  /** Why a template cannot be sent by a connection; null: nothing is known against it. */
  readonly templateFault: CloudTemplates['faultOf'];
  /** Told when a connection goes up or down. */
  onHealth(connection: LiveConnection, state: BreakerState): void;
  /** Told why a connection that sends hears nothing. */
  onDeaf(connection: LiveConnection, error: string): void;
  /** Told of those whose health is known no more: they were removed while this process runs, or have a new config. */
  onUnknown(connectionId: string): void;
  /** Told what could not be read; the table stays as it was. */
  onError(error: unknown): void;
}

/** The connections of a process. */
export class ConnectionTable {
  readonly #parts: ConnectionTableParts;
  /** Removed ones too, while something may be in flight by them. */
  #live = new Map<string, LiveConnection>();
  #chosen: readonly LiveConnection[] = [];
  #byAccount: ByAccount<LiveConnection> = new Map();
  readonly #reading: LiveReading;
  #isConnected = false;

  constructor(parts: ConnectionTableParts) {
    this.#parts = parts;
    const { database, onError } = parts;
    this.#reading = new LiveReading({ database, channel: CONNECTION_CHANNEL, read: () => this.#read(), onError });
  }

  /** Reads them, and listens for changes. @throws the database's error */
  async open(): Promise<void> {
    await this.#reading.open().catch(async (error: unknown) => {
      await this.close();
      throw error;
    });
  }

  /**
   * Connects those that stand (SMPP), and keeps them so; before it they are connected by their first send. They are read again: providers are told the address
   * of receipts, whose port may be any free one, known only now. @throws the database's error
   */
  async connect(): Promise<void> {
    this.#isConnected = true;
    await this.refresh();
  }

  /** Reads them again, and how they are; calls that come together share one reading that begins after the last of them. @throws the database's error */
  async refresh(): Promise<void> {
    await Promise.all([this.#reading.refresh(), this.#parts.health.refresh()]);
  }

  /**
   * Those that fit, in the order in which they are tried; those that are sick come behind the others, those that are down last. Null: nothing at all is
   * connected for the account.
   */
  choose(wanted: Wanted): readonly LiveConnection[] | null {
    const chosen = chooseConnections(this.#byAccount, wanted);
    return chosen && wellFirst(chosen, connection => this.#ailmentOf(connection, wanted));
  }

  /** Why `choose` answers what it does; null: nothing at all is connected for the account. */
  explain(wanted: Wanted): ChoiceReason | null {
    const chosen = this.choose(wanted);
    if (chosen === null) return null;
    const mine = connectionsFor(this.#byAccount, wanted.accountId);
    const asked = chosen.map((connection, index): Considered => {
      const ailment = this.#ailmentOf(connection, wanted);
      const verdict = ailment?.verdict ?? (index === 0 ? 'first' : 'follows');
      return consideredAs(connection, verdict, ailment?.reason);
    });
    const others = mine.flatMap(connection => {
      const verdict = misfit(connection, wanted);
      return verdict === null || verdict === 'channel' ? [] : [consideredAs(connection, verdict)];
    });
    return {
      sentBy: chosen.length === 0 ? 'nobody' : mine[0]?.accountId === null ? 'shared' : 'account',
      considered: [...asked, ...others],
    };
  }

  /** Those that by their priority would have come before the first one, and that one where it is down or sick; null: none. */
  passedOver(wanted: Wanted, firstId: string | null): PassedOver[] | null {
    const mine = connectionsFor(this.#byAccount, wanted.accountId);
    const first = mine.find(({ id }) => id === firstId);
    const place = first ? behind(this.#ailmentOf(first, wanted)) : -1;
    const passed = mine.flatMap((connection): PassedOver[] => {
      if (first && connection.priority > first.priority) return [];
      const { id: connectionId } = connection;
      const reason = misfit(connection, wanted);
      if (reason !== null) return reason === 'channel' ? [] : [{ connectionId, verdict: reason }];
      const ailment = this.#ailmentOf(connection, wanted);
      const isTold = connection === first || behind(ailment) > place;
      return ailment && isTold ? [{ connectionId, ...ailment }] : [];
    });
    return passed.length === 0 ? null : passed;
  }

  /** Why a connection that fits is not as it should be for a recipient; null: it is well. */
  #ailmentOf({ id, line }: LiveConnection, { country, recipient }: Wanted): Ailment | null {
    if (line?.breaker.isOpen) return DOWN;
    const { health } = this.#parts;
    const reason = health.sicknessOf(id, country);
    return reason === null ? null : { verdict: health.isTriedBy(id, recipient) ? 'trial' : 'sick', reason };
  }

  /** One by its id, also where it is paused or was removed. */
  get(connectionId: string): LiveConnection | null {
    return this.#live.get(connectionId) ?? null;
  }

  /** Whether it was removed: what is in flight by it ends, and nothing more goes by it. */
  isRemoved(connection: LiveConnection): boolean {
    return !this.#chosen.includes(connection);
  }

  /** All that can be used, of every account, those that were removed at the end. */
  usable(): readonly (LiveConnection & { readonly line: Line })[] {
    return [...new Set([...this.#chosen, ...this.#live.values()])].filter(isUsable);
  }

  /** Ends what is open, after what is under way. */
  async close(): Promise<void> {
    await this.#reading.close();
    await Promise.allSettled([...this.#live.values()].map(({ line }) => line?.close()));
  }

  async #read(): Promise<void> {
    const rows = await this.#parts.database.fork().find(Connection, {}, { disableIdentityMap: true });
    const before = this.#live;
    const live = new Map(rows.map(row => [row.id, this.#liveOf(row, before.get(row.id))]));
    this.#live = live;
    this.#chosen = rows.filter(row => row.removedAt == null).flatMap(row => live.get(row.id) ?? []);
    this.#byAccount = Map.groupBy(this.#chosen, ({ accountId }) => accountId);
    const lines = new Set(this.#chosen.map(({ line }) => line));
    // Those that were removed before this process began too, which nothing is to connect.
    for (const { line } of [...before.values(), ...live.values()])
      if (!lines.has(line)) line?.close().catch(this.#parts.onError);
    if (this.#isConnected) for (const { line } of this.#chosen) line?.connect();
    for (const row of rows) {
      const was = before.get(row.id);
      if (was && (row.removedAt != null || live.get(row.id)?.line !== was.line)) this.#parts.onUnknown(row.id);
      if (row.removedAt == null) this.#tellAgain(row);
    }
  }

  /** Another process may have said that it is down, and have ended since. */
  #tellAgain({ id, health }: Connection): void {
    const connection = this.#live.get(id);
    const state = connection?.line?.breaker.state;
    if (connection && state?.status === 'up' && health === 'down') this.#parts.onHealth(connection, state);
  }

  #liveOf(row: Connection, before: LiveConnection | undefined): LiveConnection {
    const opened = openConfig(this.#parts.keys, row);
    const definition = providerOf(row.provider);
    const { id, channel, name, isPaused, priority, weight, countries = null, purposes = null } = row;
    const { accountId = null, provider: providerId } = row;
    const facts = { id, accountId, channel, name, isPaused, priority, weight, countries, purposes, providerId };
    const version = JSON.stringify([opened, opened && this.#parts.receiptsUrl(id, opened.receiptsToken)]);
    const former = before?.line ?? null;
    const isSame = former !== null && before?.version === version;
    const line = isSame ? former : definition && opened && this.#newLine(row, definition, opened, former);
    // Its key is lost, or a newer gateway made it: nobody else is to send in its place.
    if (!line || !opened) return { ...facts, isUsable: false, receiptsToken: null, version: '', line: null };
    const number = line.provider.session?.number ?? row.number ?? undefined;
    return { ...facts, number, isUsable: true, receiptsToken: opened.receiptsToken, version, line };
  }

  /** Null: the provider cannot be made of the config. */
  #newLine(
    { id, health }: Connection,
    definition: ProviderDefinition<unknown>,
    { config, receiptsToken }: Opened,
    former: Line | null,
  ): Line | null {
    const { database, receiptsUrl, userAgent, chatQrDir, receive, hear, bySession, templateFault, onHealth, onDeaf } =
      this.#parts;
    const known = (): LiveConnection => {
      const connection = this.#live.get(id);
      if (!connection) throw new Error('the connection is not known any more');
      return connection;
    };
    const services = {
      connectionId: id,
      receiptsUrl: receiptsUrl(id, receiptsToken),
      userAgent,
      chatQrDir,
      bySession: (...send: Parameters<ConnectionServices['bySession']>) => bySession(id, ...send),
      receive: async (reports: readonly Report[]) => receive(known(), reports),
      hear: async (messages: readonly Inbound[]) => void (await hear(known(), messages)),
      onDeaf: (error: string) => onDeaf(known(), error),
    };
    try {
      const line: Line = new Line(
        {
          definition,
          config,
          services,
          takeTurn: (number, perSecond, signal) => takeTurn(database, number, perSecond, signal),
          templateFault: template => templateFault(id, template),
          isUnused: health === 'unknown',
          // Texts of a former config end after the change: the new one may be sound.
          onHealth: state => known().line === line && onHealth(known(), state),
        },
        former,
      );
      return line;
    } catch {
      return null;
    }
  }
}

function isUsable(connection: LiveConnection): connection is LiveConnection & { readonly line: Line } {
  return connection.line !== null;
}

function consideredAs(
  { id: connectionId, name, providerId: provider, countries }: LiveConnection,
  verdict: Verdict,
  reason: string | null = null,
): Considered {
  return { connectionId, name, provider, countries, verdict, reason };
}
