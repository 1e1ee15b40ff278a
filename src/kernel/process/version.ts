/** The name and the version of this program. */
import packageJson from '../../../package.json' with { type: 'json' };

/** The version of the gateway. */
export const VERSION: string = packageJson.version;

/** The `User-Agent` of its requests. */
export const USER_AGENT = `Heliograph/${VERSION}`;
