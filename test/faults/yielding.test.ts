import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Connection } from '#protocol/hosted/connections.ts';
import { slowDown } from '#test/support/faults/slowed-process.ts';
import { inAll } from '#test/support/level.ts';
import { startNodes } from '#test/support/service/nodes.ts';
import { startedTestDatabase } from '#test/support/service/postgres.ts';
import { newSender } from '#test/support/service/sender.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { askTransfer, readTransfer } from '#test/support/service/transfers.ts';
import { hasNginx } from '#test/support/storage/nginx.ts';
import { borrowRgw, hasRgw } from '#test/support/storage/rgw.ts';
import { partOfUpload, startS3Gate } from '#test/support/storage/s3-gate.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const mebibyte = 1024 * 1024;
/** Eight parts: a quarter of what a transfer may hold in memory each. */
const size = 48 * mebibyte;

it.skipIf(!hasNginx() || !hasRgw())(
  "a worker's transfer has one part under way while the API of its machine is late, and more again once nobody calls",
  { ...inAll('unit/service/transfers/yielding, by reports in memory'), timeout: 240_000 },
  async () => {
    const folder = await tempFolder();
    onTestFinished(folder.remove);
    const dataDir = join(folder.path, 'service');
    const postgres = await startedTestDatabase(dataDir);
    onTestFinished(postgres.close);
    const rgw = await borrowRgw();
    onTestFinished(rgw.close);
    const user = await rgw.newUser();
    const bucket = await rgw.newBucket(user);
    const gate = await startS3Gate(rgw.endpoint, partOfUpload);
    onTestFinished(gate.close);
    const service = await startNodes({ dataDir, databaseUrl: postgres.url, api: 1, workers: 1, transfers: true });
    onTestFinished(service.close);
    const [api, worker] = ['api', 'worker'].map((of) => service.nodes.find(({ role }) => role === of)!) as [
      (typeof service.nodes)[0],
      (typeof service.nodes)[0],
    ];
    const share = async (): Promise<number> => {
      const text = await (await fetch(worker!.metricsUrl)).text();
      return Number(/^longshore_service_transfer_limit_ratio (\S+)$/m.exec(text)?.[1]);
    };

    const sender = await newSender(service, { chunk_size: size });
    await sender.send('', 'A001.mov', randomBytes(size));
    expect((await sender.finalize()).status).toBe(204);
    const connection = await service.call<Connection>('POST', `/v1/teams/${service.teamId}/cloud_connections`, {
      headers: { 'x-user-token': service.userToken },
      body: {
        name: 'Archive',
        provider: 'generic_s3',
        direction: 'service_to_cloud',
        authorization: {
          ...{ client_id: user.accessKeyId, client_secret: user.secretAccessKey, destination: bucket.name },
          ...{ endpoint: gate.url, region: 'us-east-1', force_s3_path_style: 'true' },
        },
      },
    });
    expect(connection.status, JSON.stringify(connection.body)).toBe(201);
    gate.hold();
    const { body: transfer } = await askTransfer(service, sender, { cloud_connection_id: connection.body.id });
    await eventually('several parts are under way', async () => gate.waiting() > 1);

    const goOn = slowDown(api!.process().child.pid!);
    onTestFinished(goOn);
    let isCalling = true;
    const call = callAt(api!.url);
    const callers = Array.from({ length: 16 }, async () => {
      while (isCalling) await call('GET', '/v1/users/me', { headers: { 'x-user-token': service.userToken } });
    });
    onTestFinished(async () => {
      isCalling = false;
      await Promise.allSettled(callers);
    });
    await eventually('transfers yield', async () => (await share()) === 1 / 16);
    // Those that were on their way come first.
    gate.allow(gate.waiting());
    await eventually('the next one comes', async () => gate.waiting() === 1);
    for (let nth = 0; nth < 2; nth += 1) {
      const before = gate.passed().length;
      gate.allow(1);
      await eventually('the next one comes', async () => gate.passed().length === before + 1 && gate.waiting() > 0);
    }
    expect(gate.atOnce().slice(-2)).toEqual([1, 1]);

    isCalling = false;
    await Promise.all(callers);
    await eventually('transfers have all again', async () => (await share()) === 1);
    await goOn();
    gate.allow(Number.POSITIVE_INFINITY);
    await eventually('it is complete', async () => (await readTransfer(service, transfer)).state === 'complete');
    expect(gate.passed().length).toBe(new Set(gate.passed()).size);
  },
);
