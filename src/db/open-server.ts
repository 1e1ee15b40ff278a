/** Opens the PostgreSQL of a gateway, which listens from its start to its end, and its replica. */
import { StartError } from '../kernel/process/start-error.ts';
import { type Database, type Entity, openDatabase, type Replica } from './orm.ts';
import type { PostgresTarget } from './postgres/postgres.ts';
import { StreamingReplica } from './replica/replica.ts';
import { unusable } from './unusable.ts';

/** The servers of a gateway. */
interface ServerTarget extends PostgresTarget {
  /** The URL of a read replica; null: there is none. */
  readonly replicaUrl?: string | null;
}

/** Opens it, and makes sure that what is notified arrives. `onHearing` is as `onChange` of `Hearing.keep`. @throws StartError */
export async function openServer(
  target: ServerTarget,
  entities: readonly Entity[],
  batching: Database['batching'],
  onHearing: (isDeaf: boolean) => void,
): Promise<Database> {
  const database = await openDatabase(target, entities, batching).catch(error => {
    throw unusable(error);
  });
  let replica: Replica | null = null;
  try {
    replica = await openReplica(target, entities, database);
    const stop = await database.hearing.keep(onHearing);
    return {
      ...database,
      replica,
      async close() {
        await replica?.close();
        await stop();
        await database.close();
      },
    };
  } catch (error) {
    await replica?.close();
    await database.close().catch(() => undefined);
    if (error instanceof StartError) throw error;
    throw unusable(error, target.directUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL');
  }
}

/** A replica that is away may come back; only one of another database is refused. @throws StartError */
async function openReplica(
  { replicaUrl, ...target }: ServerTarget,
  entities: readonly Entity[],
  primary: Database,
): Promise<Replica | null> {
  if (!replicaUrl) return null;
  const replica = new StreamingReplica({ ...target, url: replicaUrl, directUrl: null }, entities, primary, target);
  const { state } = await replica.check();
  if (state !== 'foreign') return replica;
  await replica.close();
  throw new StartError(
    'DATABASE_REPLICA_URL leads to another database than DATABASE_URL: set it to a streaming replica of the same one, or leave it out.',
  );
}
