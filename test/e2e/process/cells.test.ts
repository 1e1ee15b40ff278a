/** Two cells behind one HAProxy, set by deploy/haproxy/cells.cfg as docs/scale.md says. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runSql } from '../../support/databases/postgres.ts';
import { freePorts } from '../../support/processes/free-ports.ts';
import {
  ask,
  type DemoGateway,
  operatorTokenOf,
  send,
  startDemoGateway,
  until,
} from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { HAPROXY, missing, type Program, startProgram } from '../../support/smpp/programs.ts';

const CELLS = ['eu1', 'us1'] as const;
type Cell = (typeof CELLS)[number];

const isLeftOut = missing(['haproxy']) !== null || inject('testDatabase').kind === 'pglite';

describe.skipIf(isLeftOut)('two cells behind one name', () => {
  let cells: Record<Cell, DemoGateway>;
  let proxy: Program;
  let folder: string;
  let front: string;
  /** The file that says which cell keeps a token. */
  let map: string;

  beforeAll(async () => {
    const env = { TRUSTED_PROXIES: '1', DOORS: 'twilio,infobip' };
    const [eu1, us1] = await Promise.all(CELLS.map(() => startDemoGateway({ env })));
    cells = { eu1, us1 } as typeof cells;
    folder = await mkdtemp(join(tmpdir(), 'heliograph-cells-'));
    map = join(folder, 'cells.map');
    await writeFile(map, (await Promise.all(CELLS.map(directory))).join(''));
    const ports = await freePorts('front');
    front = `http://127.0.0.1:${ports.front}`;
    const variables = {
      FRONT: `127.0.0.1:${ports.front}`,
      CELLS_MAP: map,
      CELLS_SOCKET: socket(),
      EU1: new URL(cells.eu1.url).host,
      US1: new URL(cells.us1.url).host,
    };
    const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    proxy = startProgram('env', [...settings, HAPROXY, '-db', '-f', join(REPOSITORY, 'deploy/haproxy/cells.cfg')]);
    await until('HAProxy serves both', async () => {
      const answers = await Promise.all(CELLS.map(cell => sendBy(tokenOf(cell)).catch(() => null)));
      return answers.every(answer => answer?.status === 200) ? true : null;
    });
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    for (const cell of Object.values(cells)) cell.kill('SIGTERM');
    await Promise.all(Object.values(cells).map(({ exited }) => exited));
    await rm(folder, { recursive: true });
  });

  const socket = (): string => join(folder, 'haproxy.sock');
  const tokenOf = (cell: Cell): string => cells[cell].demo.tokens.unified;

  /** The documented statement's rows of a cell: the hash of each token, and the name of the cell. */
  async function directory(cell: Cell): Promise<string> {
    const page = await readFile(join(REPOSITORY, 'docs/scale.md'), 'utf8');
    const statement = /"(select hash .*?)"/.exec(page)?.[1] ?? '';
    const rows = await ofCell(cell, statement.replace('eu1', cell));
    return rows.map(row => `${Object.values(row)[0]}\n`).join('');
  }

  /** Sends through the front, and tells by which cell. */
  async function sendBy(token: string) {
    const { status, headers, body } = await send({ url: front }, token);
    return { status, cell: headers.get('x-cell'), id: body.data?.messageId.replace('msg_', '') };
  }

  /** The documented command's line to HAProxy for a token. */
  async function addMap(token: string): Promise<string> {
    const page = await readFile(join(REPOSITORY, 'docs/scale.md'), 'utf8');
    const command = /^(echo "add map .*") \| socat/m.exec(page)?.[1] ?? '';
    return execFileSync('sh', ['-eu', '-c', command], { env: { CELLS_MAP: map, TOKEN: token }, encoding: 'utf8' });
  }

  /** Says a command to the HAProxy that runs, as an operator does when a token is made. */
  async function tell(command: string): Promise<string> {
    const connection = connect(socket());
    connection.end(command);
    return text(connection);
  }

  const ofCell = (cell: Cell, statement: string) => runSql(cells[cell].env.DATABASE_URL ?? '', statement);

  test('serve two accounts: a send is kept by the cell of its token, and by no other one', async () => {
    for (const cell of CELLS) {
      const sent = await sendBy(tokenOf(cell));
      expect(sent).toMatchObject({ status: 200, cell });
      for (const each of CELLS)
        expect(await ofCell(each, `select 1 from messages where id = '${sent.id}'`)).toHaveLength(
          each === cell ? 1 : 0,
        );
    }
  });

  test('answer a query by the token that asks it', async () => {
    for (const cell of CELLS) {
      const { account } = await ask<{ account: { accountId: string } }>(
        { url: front },
        cells[cell].demo.tokens.management,
        '{ account { accountId } }',
      );
      expect(account.accountId).toBe(cells[cell].demo.accountId);
    }
  });

  test.each(['Basic', 'basic'])('serve a caller at the door of Twilio by its token, as %s', async scheme => {
    for (const cell of CELLS) {
      const sid = cells[cell].demo.accountId.replace('acc_', 'AC');
      const path = `/2010-04-01/Accounts/${sid}/Messages.json`;
      const authorization = `${scheme} ${Buffer.from(`${sid}:${tokenOf(cell)}`).toString('base64')}`;
      const { status, headers } = await fetch(front + path, { headers: { authorization } });
      expect({ status, cell: headers.get('x-cell') }).toEqual({ status: 200, cell });
    }
  });

  test('serve a caller at the door of Infobip by its token', async () => {
    for (const cell of CELLS) {
      const path = '/2fa/2/applications/1234567/verifications?msisdn=12025550100';
      const authorization = `App ${tokenOf(cell)}`;
      const { status, headers } = await fetch(front + path, { headers: { authorization } });
      expect({ status, cell: headers.get('x-cell') }).toEqual({ status: 200, cell });
    }
  });

  test('have the first one answer where no token is shown', async () => {
    const { status, headers } = await fetch(`${front}/healthz`);
    expect({ status, cell: headers.get('x-cell') }).toEqual({ status: 200, cell: 'eu1' });
  });

  test('refuse a token that no cell knows', async () => {
    expect(await sendBy('hg_unknown')).toMatchObject({ status: 401 });
  });

  test('serve a new token as soon as HAProxy is told of it', async () => {
    const { createToken } = await ask<{ createToken: { secret: string } }>(
      cells.us1,
      await operatorTokenOf(cells.us1),
      'mutation ($id: String!) { createToken(input: { accountId: $id, area: UNIFIED }) { secret } }',
      { id: cells.us1.demo.accountId },
    );
    const { secret } = createToken;
    expect(await sendBy(secret)).toMatchObject({ status: 401, cell: 'eu1' });
    const command = await addMap(secret);
    expect(await directory('us1')).toContain(command.split(' ')[3]);
    await tell(command);
    expect(await sendBy(secret)).toMatchObject({ status: 200, cell: 'us1' });
  });

  test('share no fault: where one is down, its accounts are told so, and those of the other one send', async () => {
    const statusOfUs = async (): Promise<number | null> => {
      const headers = { authorization: `Bearer ${tokenOf('us1')}` };
      const answer = fetch(`${front}/healthz`, { headers, signal: AbortSignal.timeout(1_000) });
      return (await answer.catch(() => null))?.status ?? null;
    };
    const untilUsAnswers = (status: number) =>
      until(`us1 answers ${status}`, async () => ((await statusOfUs()) === status ? true : null));
    cells.us1.kill('SIGSTOP');
    try {
      await untilUsAnswers(503);
      expect(await sendBy(tokenOf('eu1'))).toMatchObject({ status: 200, cell: 'eu1' });
    } finally {
      cells.us1.kill('SIGCONT');
    }
    await untilUsAnswers(200);
  });
});
