/** The paths that read the log. */
import { z } from 'zod';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, PAGE_SIZE_MESSAGE } from '../../db/page.ts';
import { lowerWords } from '../enum-case.ts';
import { success } from '../envelope.ts';
import { mount, type Route, type RouteOptions } from '../mount.ts';
import { logsData } from '../schemas.ts';
import { LOG_PAGE, OTP_LOG_PAGE } from './samples.ts';

const logsQuery = z.strictObject({
  limit: z
    .string()
    // The form alone: the field checks the number.
    .refine(text => /^[0-9]{1,9}$/.test(text), PAGE_SIZE_MESSAGE)
    .optional()
    // Documented as an integer; a query string holds text.
    .meta({
      description: 'How many entries',
      type: 'integer',
      minimum: 1,
      maximum: PAGE_SIZE_MAX,
      default: PAGE_SIZE_DEFAULT,
    }),
  cursor: z.string().optional().meta({ description: 'The nextCursor of the page before' }),
});

type Documented = 'id' | 'summary' | 'description' | 'area' | 'examples';

const logsOptions: Omit<RouteOptions<z.infer<typeof logsQuery>, 'logs'>, Documented> = {
  tag: 'Logs',
  input: logsQuery,
  variables: ({ limit, cursor }) => ({ first: limit === undefined ? null : Number(limit), after: cursor ?? null }),
  answer: ({ nodes, pageInfo }) =>
    success(
      'The newest entries of the log.',
      lowerWords({
        logs: nodes,
        nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
      }),
    ),
  data: logsData,
  fieldNames: { first: 'limit', after: 'cursor' },
  errors: [],
  badRequest: { limit: 'ten' },
};

/** `GET /api/omni/logs` and `GET /api/sms/otp/logs`. */
export const logRoutes: readonly Route[] = [
  mount('logs').at('GET', '/api/omni/logs', {
    ...logsOptions,
    id: 'listLogs',
    summary: 'Read the log',
    description: 'Every channel attempt of the account, not only the final success, newest first.',
    area: 'unified',
    examples: [{ name: 'newest', summary: 'The newest entry', request: { limit: '1' }, result: LOG_PAGE }],
  }),
  mount('logs').at('GET', '/api/sms/otp/logs', {
    ...logsOptions,
    id: 'listSmsOtpLogs',
    summary: 'Read the log of passcodes by SMS',
    description:
      'Every attempt to send a passcode by the OTP token, and every right, wrong, late and blocked verification, newest first.',
    area: 'otp',
    examples: [{ name: 'newest', summary: 'The newest entries', request: { limit: '50' }, result: OTP_LOG_PAGE }],
  }),
];
