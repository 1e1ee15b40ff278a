/** The gateway as `npm start` runs it, but with a commit of its own for each change: what grouping is compared with. */
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/observability/logger.ts';

const config = readConfig();
const app = await openApp(config, { log: createLogger(config.logLevel), grouped: false });
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
const { url } = await app.start();
process.stderr.write(`Heliograph listens on ${url} – each change committed alone\n`);
