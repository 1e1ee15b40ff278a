/** What may be told of the settings of a process: what was chosen, and nothing of a secret. */

/** The settings as `doctor` looks at them. */
export interface SettingsFacts {
  readonly production: boolean;
  readonly role: string;
  /** The address that it listens on. */
  readonly host: string;
  /** Whether its database is the embedded one. */
  readonly isEmbedded: boolean;
  /** Whether the secret key was given, rather than generated into the data directory. */
  readonly givesSecretKey: boolean;
  /** Whether the operator's token was given, rather than generated, or left out in production. */
  readonly givesOperatorToken: boolean;
  readonly trustsProxies: boolean;
  /** How many networks that are not public webhooks may reach. */
  readonly allowedNetworks: number;
  readonly playground: boolean;
  /** Whether the sandbox answers where no provider is connected. */
  readonly sandbox: boolean;
  readonly logLevel: string;
  readonly dataDir: string;
}

/** The settings that the facts are read from. */
export interface TellingSettings {
  readonly production: boolean;
  readonly role: string;
  readonly host: string;
  readonly databaseUrl: string | null;
  readonly secretKey: Uint8Array | null;
  readonly operatorToken: string | null;
  readonly trustedProxies: object | null;
  readonly webhookAllowedNetworks: readonly string[];
  readonly playground: boolean;
  readonly sandbox: boolean;
  readonly logLevel: string;
  readonly dataDir: string;
}

/** The facts of these settings. */
export function factsOf(settings: TellingSettings): SettingsFacts {
  const { production, role, host, playground, sandbox, logLevel, dataDir } = settings;
  return {
    production,
    role,
    host,
    isEmbedded: settings.databaseUrl === null,
    givesSecretKey: settings.secretKey !== null,
    givesOperatorToken: settings.operatorToken !== null,
    trustsProxies: settings.trustedProxies !== null,
    allowedNetworks: settings.webhookAllowedNetworks.length,
    playground,
    sandbox,
    logLevel,
    dataDir,
  };
}
