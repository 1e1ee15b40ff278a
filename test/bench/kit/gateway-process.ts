/**
 * The gateway as `npm start` runs it, but for one thing, named by the first argument.
 * `ungrouped`: a commit of its own for each change, to compare grouping with.
 * `tapped`: the codes of its OTPs are told at the socket named by the second argument.
 */
import { openApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { shareCodes } from '../load/codes.ts';

const [kind, codes] = process.argv.slice(2);
const config = readConfig();
const app = await openApp(config, { log: createLogger(config.logLevel), grouped: kind !== 'ungrouped' });
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
// Nobody has another provider than the sandbox here, and it is one for all accounts.
const sandbox = app.services.providers.of(null);
if (kind === 'tapped' && codes && sandbox) await shareCodes(sandbox, codes);
const { url } = await app.start();
process.stderr.write(`Heliograph listens on ${url} – ${kind}\n`);
