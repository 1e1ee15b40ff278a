/** Accounts beside that of the demo, on a gateway in a process of its own. */
import { ask, type Gateway, operatorTokenOf } from './gateway.ts';

/** An account that can send by SMS. */
export interface OwnAccount {
  readonly accountId: string;
  /** Of the unified area. */
  readonly token: string;
  /** Connects a gateway of the provider `http-sms`, and answers the id of the connection. */
  connect(name: string, config: Record<string, unknown>): Promise<string>;
  /** Pauses a connection. */
  pause(connectionId: string): Promise<void>;
}

/** Makes an account with the unified API, 10 credits, the sender `ACME` and a token. */
export async function makeAccount(gateway: Pick<Gateway, 'url' | 'dataDir'>, name = 'Other'): Promise<OwnAccount> {
  const operator = await operatorTokenOf(gateway);
  const run = <Answer>(query: string, variables: Record<string, unknown>) =>
    ask<Answer>(gateway, operator, query, variables);
  const { createAccount } = await run<{ createAccount: { accountId: string } }>(
    'mutation ($name: String!) { createAccount(input: { name: $name }) { accountId } }',
    { name },
  );
  const { accountId } = createAccount;
  const { createToken } = await run<{ createToken: { secret: string } }>(
    `mutation ($id: String!, $sender: SenderInput!) {
      addSender(input: $sender) { id }
      approveSender(input: $sender) { id }
      updateAccount(input: { accountId: $id, unifiedApi: true }) { id }
      adjustBalance(input: { accountId: $id, credits: 10, reason: "for tests" }) { id }
      createToken(input: { accountId: $id, area: UNIFIED }) { secret }
    }`,
    { id: accountId, sender: { accountId, name: 'ACME' } },
  );
  return {
    accountId,
    token: createToken.secret,
    async connect(name, config) {
      const input = { accountId, provider: 'http-sms', channel: 'SMS', name, config };
      const { createConnection } = await run<{ createConnection: { connectionId: string } }>(
        'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }',
        { input },
      );
      return createConnection.connectionId;
    },
    async pause(connectionId) {
      const query =
        'mutation ($id: String!) { updateConnection(input: { connectionId: $id, paused: true }) { connectionId } }';
      await run(query, { id: connectionId });
    },
  };
}
