import { expect, it } from 'vitest';
import { captureLog } from '#test/support/service/captured-log.ts';
import { startTestService } from '#test/support/service/start-service.ts';

const told = 'a proxy that --trust-proxy does not name: all its callers count as one address';

it.each([
  ['is named once in the log', undefined, [{ proxy: '127.0.0.1', msg: told }]],
  ['is not, where the operator has named it', 'loopback', []],
])('a proxy before the service %s', async (_, trustProxy, expected) => {
  const log = captureLog();
  try {
    const at = await startTestService({ processes: 1, logLevel: 'warn', ...(trustProxy !== undefined && { trustProxy }) });
    try {
      await at.call('GET', '/v1/users/me');
      for (let n = 1; n <= 3; n++) await at.call('GET', '/v1/users/me', { headers: { 'x-forwarded-for': `192.0.2.${n}` } });
    } finally {
      await at.close();
    }
    const lines = log.lines().filter(({ msg }) => msg === told);
    expect(lines.map(({ proxy, msg }) => ({ proxy, msg }))).toEqual(expected);
  } finally {
    log.end();
  }
});
