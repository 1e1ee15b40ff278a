/** GraphQL Yoga with nothing of ours, on Node's server: what a trivial query costs there. */
import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';

const yoga = createYoga({ schema: createSchema({ typeDefs: 'type Query { nothing: Boolean }' }), logging: false });
const server = createServer(yoga);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
