import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorCatalogue } from '#protocol/errors.ts';
import { newSender, type Sender, type Upload } from '#test/support/service/sender.ts';
import { callAt, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { borrowRgw, hasRgw, type RunningRgw } from '#test/support/storage/rgw.ts';

const bytes = Buffer.from('a file of one chunk');
const etags = [createHash('md5').update(bytes).digest('hex')];

/** Ceph's gateway has its own words for an upload that is over. Which service is asked says each test. */
describe.skipIf(!hasRgw())('two services over one bucket of Ceph', () => {
  let rgw: RunningRgw;
  let t: TestService;
  let sender: Sender;
  let upload: Upload;
  let asked = 0;
  const call: TestService['call'] = (method, path, options) => callAt(t.services[asked]!.url)(method, path, options);
  const finalize = () => upload.finalize(etags, bytes.length);

  beforeAll(async () => {
    rgw = await borrowRgw();
    const user = await rgw.newUser();
    const { name } = await rgw.newBucket(user);
    const { host } = new URL(rgw.endpoint);
    const storageUrl = `s3://${user.accessKeyId}:${encodeURIComponent(user.secretAccessKey)}@${host}/${name}?path_style=true&tls=false`;
    t = await startTestService({ processes: 2, storageUrl });
  });
  afterAll(async () => {
    await t?.close();
    await rgw?.close();
  });

  /** The first has made it, and remembers it as unfinished. */
  beforeEach(async () => {
    asked = 0;
    sender = await newSender({ call, teamId: t.teamId, apiKey: t.apiKey });
    upload = await sender.begin('', 'A001.mov', { size: bytes.length });
    expect(await upload.put(0, bytes)).toBe(etags[0]);
  });

  it('finalize a file again that the other one has finalized', async () => {
    asked = 1;
    expect((await finalize()).status).toBe(204);
    asked = 0;
    expect((await finalize()).status).toBe(204);
    expect((await finalize()).status).toBe(204);
    expect((await sender.finalize()).status).toBe(204);
  });

  it.each([
    ['the one that remembers it', 0],
    ['the other one', 1],
  ])('finalize a file that the bucket had put together before that was noted: %s', async (_, which) => {
    const { storage } = t.service.services;
    await storage.complete(upload.file.id, upload.uploadId, await storage.listParts(upload.file.id, upload.uploadId));
    asked = which;
    expect((await finalize()).status).toBe(204);
    expect((await sender.finalize()).status).toBe(204);
  });

  it('say of a file that the other one has replaced that it is gone, so that its sender begins it again', async () => {
    asked = 1;
    expect((await sender.create({ name: 'A001.mov', size: 5 })).status).toBe(201);
    asked = 0;
    const path = `/v1/packages/${sender.package.id}/files/${upload.file.id}`;
    const listed = await call('GET', `${path}/chunks?upload_id=${encodeURIComponent(upload.uploadId)}`, { headers: sender.token });
    expect(listed).toMatchObject({ status: 404, body: { code: errorCatalogue.no_such_upload.code } });
    expect(await finalize()).toMatchObject({ status: 404, body: { message: expect.stringContaining('There is no file with this id') } });
  });
});
