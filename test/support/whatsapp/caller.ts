/** Calls an address as Meta does: signed, one call after another. */
import type { ReportRequest } from '../../../src/channels/contract.ts';
import { hubSignature } from './payloads.ts';

/** Takes a call to its address, and answers with what the address answers. */
export type Deliver = (call: SignedCall) => Promise<{ readonly status: number }>;

/** A call as it is sent. */
export interface SignedCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Signs a body. */
export function signedCall(appSecret: string, body: string): SignedCall {
  const signature = hubSignature(appSecret, body);
  const headers = { 'content-type': 'application/json', 'user-agent': 'facebookexternalua' };
  return { headers: { ...headers, 'x-hub-signature-256': signature }, body };
}

/** A call as a provider reads it. @param url the address that was called */
export function asReportRequest(url: string, { headers, body }: SignedCall): ReportRequest {
  return { method: 'POST', url, headers, body: Buffer.from(body) };
}

/** Keeps what was told, and to whom. */
export class Caller {
  readonly calls: { readonly body: string; readonly status: number }[] = [];
  readonly #appSecret: string;
  #deliver: Deliver | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(appSecret: string) {
    this.#appSecret = appSecret;
  }

  /** Whether there is an address. */
  get isCalling(): boolean {
    return this.#deliver !== null;
  }

  callTo(target: string | Deliver): void {
    this.#deliver = typeof target === 'function' ? target : postTo(target);
  }

  /** Tells a body after those before it. Answers the status of the answer; 0: there is none. */
  post(body: string): Promise<number> {
    const deliver = this.#deliver;
    if (!deliver) throw new Error('nobody has said where calls go: use callTo');
    const told = this.#last.then(async () => {
      const status = await deliver(signedCall(this.#appSecret, body)).then(
        answer => answer.status,
        () => 0,
      );
      this.calls.push({ body, status });
      return status;
    });
    this.#last = told;
    return told;
  }

  /** Resolves when nothing is left to tell. */
  async idle(): Promise<void> {
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
  }
}

/** Proves an address: whether it repeats the challenge. */
export async function shakeHands(url: string, verifyToken: string): Promise<{ status: number; isProven: boolean }> {
  const challenge = String(Math.floor(Math.random() * 1e9));
  const asked = { 'hub.mode': 'subscribe', 'hub.verify_token': verifyToken, 'hub.challenge': challenge };
  const answer = await fetch(`${url}?${new URLSearchParams(asked)}`);
  return { status: answer.status, isProven: answer.ok && (await answer.text()) === challenge };
}

function postTo(url: string): Deliver {
  return async ({ headers, body }) => {
    const answer = await fetch(url, { method: 'POST', headers: { ...headers }, body });
    await answer.arrayBuffer();
    return answer;
  };
}
