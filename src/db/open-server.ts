/** Opens the PostgreSQL of a gateway, which listens from its start to its end. */
import { type Database, openDatabase } from './orm.ts';
import { unusable } from './unusable.ts';

/** Opens it, and makes sure that what is notified arrives. `onHearing` is as `onChange` of `Hearing.keep`. @throws StartError */
export async function openServer(
  target: Extract<Parameters<typeof openDatabase>[0], { url: string }>,
  entities: Parameters<typeof openDatabase>[1],
  batching: Database['batching'],
  onHearing: (isDeaf: boolean) => void,
): Promise<Database> {
  const database = await openDatabase(target, entities, batching).catch(error => {
    throw unusable(error);
  });
  try {
    const stop = await database.hearing.keep(onHearing);
    return {
      ...database,
      async close() {
        await stop();
        await database.close();
      },
    };
  } catch (error) {
    await database.close().catch(() => undefined);
    throw unusable(error, target.directUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL');
  }
}
