import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSender, type Sender } from '#test/support/service/sender.ts';
import { callAt, startTestService, type TestService } from '#test/support/service/start-service.ts';

/** Addresses for writing end with the file and the package, whichever process has ended them. */

let t: TestService;
/** Moves the clock of the services on. */
let offset = 0;
beforeAll(async () => {
  t = await startTestService({ processes: 2, now: () => new Date(Date.now() + offset) });
});
afterAll(() => t?.close());

const at = (process: 0 | 1) => ({ ...t, call: callAt(t.services[process]!.url) });
const remove = async (path: string, { token }: Sender): Promise<void> => {
  expect((await at(1).call('DELETE', path, { headers: token })).status).toBe(204);
};

describe('of a batch', () => {
  const batches = ({ package: { id }, token }: Sender) =>
    at(1).call<{ batches?: unknown[]; message?: string }>('POST', `/v1/packages/${id}/files/batch/blueprints`, {
      headers: token,
      body: { count: 1 },
    });

  it('are for a package that is new alone', async () => {
    const [finalized, deleted] = [await newSender(t), await newSender(t)];
    for (const sender of [finalized, deleted]) {
      await sender.send('', 'one', Buffer.from('one'));
      expect((await batches(sender)).body.batches).toHaveLength(1);
    }
    expect((await finalized.finalize()).status).toBe(204);
    await remove(`/v1/packages/${deleted.package.id}`, deleted);
    expect(await batches(finalized)).toMatchObject({ status: 409, body: { message: expect.stringContaining('finalized') } });
    expect((await batches(deleted)).status).toBe(410);
  });
});

describe('of chunks', () => {
  it.each([
    ['file', 404],
    ['package', 410],
  ] as const)('end where another process deletes the %s, after what this one remembers', async (what, status) => {
    const sender = await newSender(at(0));
    const upload = await sender.begin('', 'reel', { size: 5 });
    expect((await upload.blueprints(0, 1)).status).toBe(200);
    const path = `/v1/packages/${sender.package.id}`;
    await remove(what === 'file' ? `${path}/files/${upload.file.id}` : path, sender);
    // Of a package that ended, the files' rows go by a job.
    offset += 5_001;
    expect((await upload.blueprints(0, 1)).status).toBe(status);
  });
});
