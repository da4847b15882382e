import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Connection } from '#protocol/hosted/connections.ts';
import type { CloudProvider } from '#providers/ports.ts';
import { withRetry } from '#providers/wrappers/retry.ts';
import { openIfPossible } from '#service/connections/authorization.ts';
import type { ConnectionCredentials } from '#service/connections/open-provider.ts';
import { accountSas, azuriteAccount, newContainer } from '#test/support/providers/azurite/azurite.ts';
import { openGcsBench } from '#test/support/providers/gcs/bench.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { askTransfer, changeTransfer, sentPackage, transferBecomes } from '#test/support/service/transfers.ts';
import { bodyOf, startHttpServer } from '#test/support/system/http-server.ts';

/** Credentials that end in the middle of a transfer: what has arrived stays, and new ones bring the rest. */

const mebibyte = 1024 * 1024;

let t: TestService;
const cleanups: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  t = await startTestService({ processes: 1, allowPrivateConnections: true });
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => t?.close());

const asOwner = () => ({ 'x-user-token': t.userToken });

async function connect(provider: string, authorization: Readonly<Record<string, string>>): Promise<Connection> {
  const body = { name: 'Archive', provider, authorization };
  const made = await t.call<Connection>('POST', `/v1/teams/${t.teamId}/cloud_connections`, { headers: asOwner(), body });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body;
}

const connectionNow = async ({ id }: Connection): Promise<Connection> =>
  (await t.call<Connection>('GET', `/v1/cloud_connections/${id}`, { headers: asOwner() })).body;

async function renew({ id }: Connection, authorization: Readonly<Record<string, string>>): Promise<void> {
  const { status, body } = await t.call('PUT', `/v1/cloud_connections/${id}`, { headers: asOwner(), body: { authorization } });
  expect(status, JSON.stringify(body)).toBe(200);
}

describe('a SAS that ends in the middle', () => {
  /** Before Azurite: where a SAS is over, its requests are as if it were later, by a signature that is over for real. */
  async function azureLater(upstream: string) {
    const { hostname: host, port } = new URL(upstream);
    const over = new Map<string, Date>();
    const blocks: string[] = [];
    const state: { before: (block: string | null, expires: string) => Promise<void> } = { before: async () => undefined };
    const server = await startHttpServer(async (incoming, response) => {
      const url = new URL(incoming.url!, upstream);
      const block = url.searchParams.get('blockid');
      const expires = url.searchParams.get('se') ?? '';
      const bytes = await bodyOf(incoming);
      await state.before(block, expires);
      const later = over.get(expires);
      if (later) {
        for (const [name, value] of new URLSearchParams(accountSas({ expires: new Date(Date.now() - 60_000) })))
          url.searchParams.set(name, value);
      }
      const { expect: _, ...headers } = incoming.headers;
      const path = `${url.pathname}${url.search}`;
      const onward = httpRequest({ host, port, method: incoming.method, path, headers, agent: false }, (answer) => {
        if (block !== null && answer.statusCode === 201) blocks.push(block);
        response.writeHead(answer.statusCode!, { ...answer.headers, ...(later && { date: later.toUTCString() }) });
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      onward.end(bytes);
    });
    cleanups.push(server.close);
    return { url: server.url, over, blocks, state };
  }

  it('is told in words with its end, and a new one brings what is missing', async () => {
    const container = await newContainer();
    const azure = await azureLater(new URL(container.service).origin);
    const [soon, late] = [new Date(Date.now() + 3_600_000), new Date(Date.now() + 7_200_000)];
    const url = (expires: Date) => `${azure.url}/${azuriteAccount}?${accountSas({ expires })}`;
    let first: string | null = null;
    azure.state.before = async (block, expires) => {
      if (block === null) return;
      first ??= block;
      if (block === first) return;
      await vi.waitFor(() => expect(azure.blocks).toContain(first), { timeout: 20_000 });
      if (azure.blocks.length === 1 && azure.over.size === 0) azure.over.set(expires, new Date(soon.getTime() + 60_000));
    };
    const connection = await connect('azure', { blob_service_sas_url: url(soon), destination: container.name });
    const large = randomBytes(14 * mebibyte + 9);
    const sender = await sentPackage(t, { 'large.mov': large }, { name: 'Ends' });
    const { body: made } = await askTransfer(t, sender, { cloud_connection_id: connection.id });
    const failed = await transferBecomes(t, made, 'error');
    const end = `${soon.toISOString().slice(0, 10)}`;
    expect(failed.error).toContain(end);
    expect(failed.error).toMatch(/new (SAS|one)/i);
    expect(await connectionNow(connection)).toMatchObject({ state: 'error', state_message: failed.error });
    const confirmed = [...azure.blocks];
    expect(confirmed.length).toBeGreaterThan(0);

    await renew(connection, { blob_service_sas_url: url(late) });
    expect((await changeTransfer(t, made, 'retry')).status).toBe(204);
    expect(await transferBecomes(t, made, 'complete')).toMatchObject({ attempts: 2, progress: { files: 1, bytes: large.length } });
    expect(new Set(azure.blocks).size).toBe(azure.blocks.length);
    expect(await container.stored()).toEqual(['Longshore/Ends/large.mov']);
    const arrived = await container.request('GET', 'Longshore/Ends/large.mov');
    expect(Buffer.from(await arrived.arrayBuffer()).equals(large)).toBe(true);
  });
});

describe('a token of Google that ends in the middle', () => {
  /** The service's providers are those of a simulated Cloud Storage; `b.mov` waits for `a.mov`, and `between` happens then. */
  async function simulated(between: () => void) {
    const bench = await openGcsBench();
    cleanups.push(bench.close);
    const { services } = t.service;
    const { cloudProviders } = services;
    const arrived = Promise.withResolvers<void>();
    const use = async <T>(credentials: ConnectionCredentials, work: (provider: CloudProvider) => Promise<T>): Promise<T> => {
      const provider = bench.create(openIfPossible(services.seal, credentials) ?? {});
      return await work(
        withRetry({
          ...provider,
          async begin(request, signal) {
            if (request.path.endsWith('b.mov')) await arrived.promise;
            return await provider.begin(request, signal);
          },
          async complete(request, signal) {
            const object = await provider.complete(request, signal);
            if (object.id.includes('a.mov')) {
              between();
              arrived.resolve();
            }
            return object;
          },
        }),
      );
    };
    Object.assign(services, { cloudProviders: { ...cloudProviders, use } });
    cleanups.push(async () => void Object.assign(services, { cloudProviders }));
    return bench;
  }
  const files = { 'a.mov': randomBytes(900), 'b.mov': randomBytes(1_100) };

  it('is renewed, and the transfer goes on in the same attempt', async () => {
    const bench = await simulated(() => bench.world.tokens.clear());
    const connection = await connect('google_cloud_storage', bench.authorization);
    const sender = await sentPackage(t, files, { name: 'Renewed' });
    const { body: made } = await askTransfer(t, sender, { cloud_connection_id: connection.id });
    expect(await transferBecomes(t, made, 'complete')).toMatchObject({ attempts: 1, progress: { files: 2 } });
    expect([...bench.world.objects.keys()]).toEqual(['Longshore/Renewed/a.mov', 'Longshore/Renewed/b.mov']);
    expect((await connectionNow(connection)).state).toBe('ok');
  });

  it('with its key says what to do, and a new key brings the rest', async () => {
    const bench = await simulated(() => {
      bench.world.tokens.clear();
      bench.world.account.publicKey = null;
    });
    const connection = await connect('google_cloud_storage', bench.authorization);
    const sender = await sentPackage(t, files, { name: 'Withdrawn' });
    const { body: made } = await askTransfer(t, sender, { cloud_connection_id: connection.id });
    const failed = await transferBecomes(t, made, 'error');
    expect(failed.error).toMatch(/key/);
    expect(await connectionNow(connection)).toMatchObject({ state: 'error', state_message: failed.error });
    expect([...bench.world.objects.keys()]).toEqual(['Longshore/Withdrawn/a.mov']);
    const { generation } = bench.world.objects.get('Longshore/Withdrawn/a.mov')!;

    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    bench.world.account.publicKey = publicKey;
    await renew(connection, { private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string });
    expect((await changeTransfer(t, made, 'retry')).status).toBe(204);
    expect(await transferBecomes(t, made, 'complete')).toMatchObject({ attempts: 2, progress: { files: 2 } });
    expect([...bench.world.objects.keys()]).toEqual(['Longshore/Withdrawn/a.mov', 'Longshore/Withdrawn/b.mov']);
    // Not made again.
    expect(bench.world.objects.get('Longshore/Withdrawn/a.mov')?.generation).toBe(generation);
  });
});

describe('providers that cannot be used', () => {
  it.each([
    [
      'frameio',
      { developer_token: 'fio-u-token', account_id: 'account', team_id: 'team', project_id: 'project' },
      /legacy API on 1 December 2026.* Move the account to Frame\.io V4/,
    ],
    ['postlab', { team_id: 'team-key' }, /PostLab has no public interface.* Connect other storage/],
  ])('with credentials for one use (%s) say so, and forget them', async (provider, authorization, words) => {
    const sender = await sentPackage(t, { 'a.mov': randomBytes(10) });
    const asked = await askTransfer(t, sender, { single_use: { provider, authorization } });
    expect(asked.status, JSON.stringify(asked.body)).toBe(201);
    const failed = await transferBecomes(t, asked.body, 'error');
    expect(failed.error).toMatch(words);
    const { db } = t.service.services;
    await vi.waitFor(async () => {
      const row = await db.selectFrom('cloud_transfers').selectAll().where('id', '=', asked.body.id).executeTakeFirstOrThrow();
      expect(row).toMatchObject({ sealed_authorization: null, due_at: null, cleanup: false });
    });
    expect((await changeTransfer(t, asked.body, 'retry')).status).toBe(409);
  });
});
