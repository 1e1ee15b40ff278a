/** The settings that `doctor` reports on, without secrets. */
export interface SettingsFacts {
  readonly production: boolean;
  readonly role: string;
  readonly host: string;
  readonly isEmbedded: boolean;
  /** Whether the secret key was given as a setting rather than generated into the data directory. */
  readonly givesSecretKey: boolean;
  /** Whether the operator's token was given as a setting. */
  readonly givesOperatorToken: boolean;
  readonly trustsProxies: boolean;
  /** How many private networks webhooks may reach. */
  readonly allowedNetworks: number;
  readonly playground: boolean;
  /** Whether the sandbox answers when no provider is connected. */
  readonly sandbox: boolean;
  readonly logLevel: string;
  readonly dataDir: string;
  /** The folder with the library of QR-linked chats (`CHAT_QR_DIR`). */
  readonly chatQrDir: string;
  /** `PUBLIC_URL`; null: it is not set. */
  readonly publicUrl: string | null;
  /** After how many days texts are blanked. */
  readonly textRetentionDays: number;
  /** After how many days messages, the log, events and deliveries are dropped (`RETENTION_DAYS`). */
  readonly retentionDays: number;
  /** How many days the request log is kept. */
  readonly requestLogDays: number;
  /** Whether there is a collector of traces (`OTEL_EXPORTER_OTLP_ENDPOINT`). */
  readonly isTraced: boolean;
}
