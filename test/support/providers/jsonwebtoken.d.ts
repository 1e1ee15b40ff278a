/** Types for the part of this library that tests use: it brings none. */
declare module 'jsonwebtoken' {
  import type { KeyObject } from 'node:crypto';

  const library: {
    sign(
      claims: object,
      key: string | KeyObject,
      options?: { algorithm?: 'none' | 'HS256' | 'HS384' | 'HS512' | 'RS256'; noTimestamp?: boolean },
    ): string;
    verify(
      token: string,
      key: string,
      options: { algorithms: string[]; maxAge: number; clockTimestamp: number },
    ): unknown;
  };
  export = library;
}
