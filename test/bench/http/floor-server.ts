/** The floor of HTTP and JSON: Hono on its Node server, which reads a JSON body and answers one of the size of a send's. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.post('/', async context => {
  const { to }: { to: string } = await context.req.json();
  return context.json({ success: true, message: 'The message was sent.', data: { to, rest: 'x'.repeat(540) } });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
