/** The addresses of this gateway, and the file of its demo account. */
export interface Home {
  url(): string;
  /** The address at which others reach it (`PUBLIC_URL`), without a slash at its end. */
  publicUrl(): string;
  /** The content of `demo.json`; null if there is none. */
  readDemo(): unknown;
  /** Writes `demo.json`, mode 0600. */
  writeDemo(content: object): void;
}
