import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuthResult } from '#protocol/hosted/accounts.ts';
import type { Connection } from '#protocol/hosted/connections.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import { firstOf } from '#test/support/level.ts';
import { usualOwner } from '#test/support/service/owner.ts';
import { startedTestDatabase } from '#test/support/service/postgres.ts';
import { senderOf } from '#test/support/service/sender.ts';
import { callAt } from '#test/support/service/start-service.ts';
import { startServiceProcess, transferProcesses } from '#test/support/service/start-service-process.ts';
import { shareSecret } from '#test/support/service/two-services.ts';
import { borrowRgw, hasRgw } from '#test/support/storage/rgw.ts';
import { hasSwift, newSwiftBucket } from '#test/support/storage/swift.ts';
import { startHttpServer } from '#test/support/system/http-server.ts';
import { eventually } from '#test/support/system/processes.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const mebibyte = 1024 * 1024;

/** Stands before the gateway: answers one part of an upload, and keeps the others until it is opened. */
async function startBetween(endpoint: string) {
  const target = new URL(endpoint);
  const parts: string[] = [];
  const answered: string[] = [];
  const waiting = Promise.withResolvers<void>();
  let open = false;
  const server = await startHttpServer((request, response) => {
    const number = new URL(request.url!, endpoint).searchParams.get('partNumber');
    if (request.method === 'PUT' && number !== null) {
      parts.push(number);
      if (!open && parts.length > 1) return void waiting.resolve();
    }
    const { expect: _, ...headers } = request.headers;
    const { hostname: host, port } = target;
    const onward = httpRequest({ host, port, method: request.method, path: request.url, headers, agent: false }, (answer) => {
      if (number !== null && answer.statusCode === 200) answered.push(number);
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  cleanups.push(server.close);
  return {
    url: server.url,
    parts,
    answered,
    /** Resolves once a part is kept. */
    waiting: waiting.promise,
    open: () => {
      open = true;
    },
  };
}

/** Of each of its threads, those that differ. Linux only. */
async function nicenessOf(pid: number): Promise<number[]> {
  const found = new Set<number>();
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const text = await readFile(`/proc/${pid}/task/${thread}/stat`, 'latin1').catch(() => null);
    if (text !== null) found.add(Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16]));
  }
  return [...found];
}

describe.skipIf(!hasRgw() || !hasSwift())('of two services on one database and one storage', { timeout: 180_000 }, () => {
  it.each(firstOf(['kill', 'stop', 'kill its process for transfers'] as const))(
    'one that comes to its end (%s) amid a transfer leaves it to the next, which sends what is missing',
    async (end) => {
      const swift = await newSwiftBucket();
      const rgw = await borrowRgw();
      cleanups.push(rgw.close);
      const user = await rgw.newUser();
      const bucket = await rgw.newBucket(user);
      const between = await startBetween(rgw.endpoint);
      const folder = await tempFolder();
      cleanups.push(folder.remove);
      const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
      const database = await startedTestDatabase(first);
      cleanups.push(database.close);
      await shareSecret(first, second);
      const start = async (dataDir: string) => {
        const options = { owner: usualOwner, databaseUrl: database.url, storageUrl: swift.url, allowPrivateConnections: true };
        const started = await startServiceProcess({ ...options, dataDir });
        cleanups.push(started.kill);
        return started;
      };

      const victim = await start(first);
      const call = callAt(victim.url);
      const { body: owner } = await call<AuthResult>('POST', '/v1/auth', { body: usualOwner });
      const headers = { 'x-user-token': owner.token };
      const team = `/v1/teams/${owner.teams[0]!.id}`;
      const connection = await call<Connection>('POST', `${team}/cloud_connections`, {
        headers,
        body: {
          provider: 'generic_s3',
          authorization: {
            client_id: user.accessKeyId,
            client_secret: user.secretAccessKey,
            destination: bucket.name,
            endpoint: between.url,
            region: 'default',
            force_s3_path_style: 'true',
          },
        },
      });
      expect(connection.status).toBe(201);
      const made = await call<Package>('POST', `${team}/packages`, { headers, body: { name: 'Day 1', description: '', recipients: [] } });
      const sender = senderOf({ call }, made.body, { 'x-package-token': made.body.access_token });
      // In three parts of 16 MiB at most.
      const [large, small] = [randomBytes(33 * mebibyte), randomBytes(1_000)];
      await sender.send('', 'large.mov', large);
      await sender.send('roll', 'small.mov', small);
      expect((await sender.finalize()).status).toBe(204);
      const { body: transfer } = await call<CloudTransfer>('POST', `/v1/packages/${made.body.id}/transfer`, {
        headers: sender.token,
        body: { cloud_connection_id: connection.body.id },
      });
      await between.waiting;
      await eventually('a part has arrived', async () => between.answered.length > 0);
      const [confirmed] = between.answered;
      const token = { 'x-transfer-token': transfer.access_token };
      const read = async (at: ReturnType<typeof callAt>) =>
        (await at<CloudTransfer>('GET', `/v1/transfers/${transfer.id}`, { headers: token })).body;
      await eventually('its progress is written', async () => (await read(call)).progress.bytes > 0);

      const worker = (await transferProcesses()).find(({ parent }) => parent === victim.child.pid)!.pid;
      // The run itself may have a lower priority.
      expect(await nicenessOf(worker)).toEqual([Math.max(5, getPriority())]);
      const survivor = end === 'kill its process for transfers' ? victim : await start(second);
      between.open();
      if (survivor === victim) process.kill(worker, 'SIGKILL');
      else await victim[end as 'kill' | 'stop']();
      await eventually('its process for transfers is gone', async () => (await transferProcesses()).every(({ pid }) => pid !== worker));
      const other = callAt(survivor.url);
      await eventually('it is complete', async () => (await read(other)).state === 'complete');
      expect(await read(other)).toMatchObject({
        attempts: 2,
        progress: { bytes: large.length + small.length, total_bytes: large.length + small.length, files: 2, total_files: 2 },
      });
      expect(between.parts.filter((number) => number === confirmed)).toHaveLength(1);
      expect((await bucket.stored()).toSorted()).toEqual(['Longshore/Day 1/large.mov', 'Longshore/Day 1/roll/small.mov']);
      const client = new S3Client({
        endpoint: rgw.endpoint,
        region: 'default',
        forcePathStyle: true,
        credentials: { accessKeyId: user.accessKeyId, secretAccessKey: user.secretAccessKey },
      });
      cleanups.push(() => client.destroy());
      for (const [name, bytes] of [
        ['large.mov', large],
        ['roll/small.mov', small],
      ] as const) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket.name, Key: `Longshore/Day 1/${name}` }));
        expect((await buffer(Body as NodeJS.ReadableStream)).equals(bytes)).toBe(true);
      }
      await survivor.stop();
    },
  );
});
