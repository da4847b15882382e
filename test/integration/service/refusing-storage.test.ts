import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { captureLog } from '#test/support/service/captured-log.ts';
import { newSender } from '#test/support/service/sender.ts';
import { startTestService } from '#test/support/service/start-service.ts';
import { denied, policy, refusing } from '#test/support/storage/s3-policy.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

/** A bucket by a script, whose policy the test may change. Gives its storage URL. */
const bucket = (refused: Parameters<typeof policy>[0]): Promise<string> => served(policy(refused).answer);

async function served(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `s3://key:sesame@127.0.0.1:${(server.address() as AddressInfo).port}/bucket?tls=false&path_style=true`;
}

it('a service does not start over a bucket that refuses what it will do, and names all of that', async () => {
  const storageUrl = await bucket({ ListParts: denied, AbortMultipartUpload: denied });
  await expect(startTestService({ storageUrl })).rejects.toMatchObject({
    code: 'storage_unusable',
    message: expect.stringContaining('these credentials may not list parts, abort multipart uploads there'),
  });
});

it('a first start over a new bucket, which has no id yet, warns of nothing', async () => {
  const { answer } = policy({});
  const storageUrl = await served((request, response) => {
    const isNew = request.method === 'GET' && request.url?.includes('/bucket.id');
    return (isNew ? refusing(404, 'NoSuchKey') : answer)(request, response);
  });
  const log = captureLog();
  undo.push(() => log.end());
  const at = await startTestService({ storageUrl, processes: 1, logLevel: 'warn' });
  undo.push(() => at.close());
  expect(log.lines().filter(({ msg }) => msg === 'a call to the storage failed')).toEqual([]);
});

it('a bucket that refuses later is said to refuse, to callers, at /healthz, and once a minute in the log', async () => {
  const refused: { ListParts?: typeof denied } = {};
  const storageUrl = await bucket(refused);
  const log = captureLog();
  undo.push(() => log.end());
  const at = await startTestService({ storageUrl, processes: 1, logLevel: 'warn' });
  undo.push(() => at.close());
  const sender = await newSender(at);
  const upload = await sender.begin('', 'a.mov', { size: 5 });

  refused.ListParts = denied;
  for (let n = 0; n < 20; n++) {
    const answer = await upload.finalize(['0'.repeat(32)], 5);
    expect(answer).toMatchObject({ status: 503, body: { code: 327689, message: expect.stringContaining('AccessDenied') } });
    expect(answer.headers.get('retry-after')).toBe('30');
    expect(JSON.stringify(answer.body)).not.toMatch(/does not answer/);
  }
  expect((await at.call('GET', '/healthz')).body).toMatchObject({ status: 'degraded', problems: [{ code: 327689 }] });
  const lines = log.lines().filter(({ msg }) => msg === 'a call to the storage failed');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ call: 'listParts' });
  expect(JSON.stringify(lines)).not.toContain('sesame');

  delete refused.ListParts;
  // The bucket holds no part: what is refused now is the sender's to mend, and the storage is well again.
  expect((await upload.finalize(['0'.repeat(32)], 5)).status).toBe(409);
  expect((await at.call('GET', '/healthz')).body).toEqual({ status: 'ok' });
});
