import { afterEach, expect, test, vi } from 'vitest';
import { overHttp } from '../../../src/cli/gateway/over-http.ts';
import { OPERATIONS } from '../../../src/cli/operations/operations.generated.ts';
import { serve } from '../../support/outbound/servers.ts';

afterEach(() => void vi.restoreAllMocks());

test('a gateway that is at work is not said to be gone, and is waited for some minutes', async () => {
  const peer = await serve(() => undefined);
  const over = vi
    .spyOn(AbortSignal, 'timeout')
    .mockReturnValue(AbortSignal.abort(new DOMException('It took too long.', 'TimeoutError')));
  const operator = overHttp({ url: `http://127.0.0.1:${peer.port}`, pid: 1 }, 'op');
  await expect(operator.run(OPERATIONS.ledgerFaults, {})).rejects.toThrow(/may still be at work/);
  expect(over.mock.calls).toEqual([[expect.any(Number)]]);
  expect(over.mock.calls[0]?.[0]).toBeGreaterThan(4 * 60_000);
});
