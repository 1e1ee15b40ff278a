/** `requests`. */
import { type Command, InvalidArgumentError } from 'commander';
import { addCommand } from '../command.ts';
import { type LoggedRequestData, OPERATIONS } from '../operations/operations.generated.ts';
import { fieldOf, flag, option } from '../options.ts';
import { columnsOf } from '../output.ts';
import { MOMENT, readMoment, readWhole } from '../values.ts';

const REQUESTS = columnsOf<LoggedRequestData>({
  TIME: 'createdAt',
  STATUS: 'status',
  CODE: 'code',
  FIELD: 'field',
  WHAT: row => row.operation ?? `${row.method} ${row.path}`,
  BY: row => row.tokenId ?? row.actor,
  FROM: 'clientAddress',
  MS: 'durationMs',
  'LEFT OUT': row => (row.leftOut > 0 ? row.leftOut : null),
  'REQUEST ID': 'requestId',
});

const LIST = {
  status: option('<status>', 'requests answered with this status, like 403, or one of a class, like 4xx', readStatus),
  code: option('<code>', 'requests refused with this code: rate_limited'),
  since: fieldOf('from', option('<when>', `requests answered then or later: ${MOMENT}`, readMoment)),
  until: fieldOf('to', option('<when>', 'requests answered before it', readMoment)),
  token: fieldOf('tokenId', option('<tokenId>', 'requests with this token')),
  path: option('<path>', 'requests of this path: /api/omni/send'),
  operation: option('<name>', 'requests for this operation of GraphQL'),
  requestId: option('<id>', 'requests with this X-Request-Id'),
  strangers: flag('requests of nobody who is known'),
  limit: option('<n>', 'how many, 1 to 200; 50 where it is not given', readWhole(1, 200)),
};

/** Adds the command that reads the request log. */
export function addRequestsCommand(program: Command): void {
  const about = 'list refused requests, of an account or of all, newest first';
  addCommand(program, 'requests [accountId]', about, LIST, async ({ operator, out, options }, accountId?: string) => {
    const { status, code, since: from, until: to, token: tokenId, path, operation, requestId, strangers } = options;
    const filter = { status, code, from, to, tokenId, path, operation, requestId, strangers };
    const { nodes } = await operator.run(OPERATIONS.requests, { accountId, first: options.limit, filter });
    out.list(nodes, REQUESTS, 'There is no such request.');
  });
}

function readStatus(value: string): string {
  if (/^[1-5](\d\d|xx)$/i.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError('Give a status like 403, or a class of them like 4xx.');
}
