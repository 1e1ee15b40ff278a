/** Which program this is. */
import packageJson from '../../../package.json' with { type: 'json' };

/** The version of the gateway. */
export const VERSION: string = packageJson.version;

/** What it calls itself where it asks others, as `User-Agent`. */
export const USER_AGENT = `Heliograph/${VERSION}`;
