import { join } from 'node:path';
import { freePort } from '#main/start/ports.ts';
import type { AuthResult, CreatedApiKey } from '#protocol/hosted/accounts.ts';
import type { Role } from '#service/roles/roles.ts';
import { type Http2Front, startApiNginx, startNginx } from '../storage/nginx.ts';
import { eventually } from '../system/processes.ts';
import { haproxyApiConfig, startHaproxy } from './haproxy.ts';
import { usualOwner } from './owner.ts';
import { callAt } from './start-service.ts';
import { type ServiceProcess, startServiceProcess } from './start-service-process.ts';

/** One process of a service in several, at a port that stays its own. */
export interface TestNode {
  readonly role: Role;
  readonly url: string;
  /** Of a worker, where there are transfers. */
  readonly metricsUrl: string;
  readonly process: () => ServiceProcess;
  /** By SIGTERM; it stays away until `start`. */
  stop(): Promise<void>;
  /** By SIGKILL. */
  kill(): Promise<void>;
  /** Resolves when it is ready. */
  start(): Promise<void>;
}

export interface TestNodes {
  readonly nodes: readonly TestNode[];
  /** The address before the API nodes. */
  readonly url: string;
  readonly teamId: string;
  readonly userToken: string;
  readonly apiKey: string;
  readonly call: ReturnType<typeof callAt>;
  /** Paths of the parts and batches that the storage has taken, by the log of nginx before it. */
  storedPaths(): Promise<string[]>;
  close(): Promise<void>;
}

const host = '127.0.0.1';

export interface NodesOptions {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly api: number;
  readonly workers: number;
  /** What is before the API nodes. */
  readonly front?: 'nginx' | 'haproxy';
  /** Of nginx. */
  readonly http2?: Http2Front;
  /** A bucket, in place of local storage: there is no process with that role then. */
  readonly storageUrl?: string;
  /** Clouds of this machine are taken, and workers tell their metrics. */
  readonly transfers?: boolean;
  /** In which API nodes still take calls after they were told to stop. */
  readonly stopDelaySeconds?: number;
}

/** As an operator has them on one machine: one data folder, one PostgreSQL, each process with one role, a proxy before the API, nginx before the storage. */
export async function startNodes(options: NodesOptions): Promise<TestNodes> {
  const { dataDir, databaseUrl, api, workers, front = 'nginx', storageUrl } = options;
  const cleanups: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const [frontPort, storageFrontPort, storagePort] = [await freePort(0), await freePort(0), await freePort(0)];
    const url = `http://${host}:${frontPort}`;
    const roles: Role[] = [
      ...(storageUrl ? [] : (['storage'] as const)),
      ...Array<Role>(api).fill('api'),
      ...Array<Role>(workers).fill('worker'),
    ];
    const nodes: TestNode[] = [];
    for (const role of roles) {
      const [port, metricsPort] = [await freePort(0), await freePort(0)];
      const hasMetrics = options.transfers === true && role === 'worker';
      let running: ServiceProcess | null = null;
      const own = `http://${host}:${port}`;
      const start = async (): Promise<void> => {
        running = await startServiceProcess({
          roles: new Set([role]),
          dataDir,
          databaseUrl,
          owner: usualOwner,
          listen: { host, port },
          publicUrl: url,
          ...(storageUrl
            ? { storageUrl }
            : { storageListen: { host, port: storagePort }, storagePublicUrl: `http://${host}:${storageFrontPort}` }),
          ...(role === 'api' && options.stopDelaySeconds !== undefined && { stopDelaySeconds: options.stopDelaySeconds }),
          ...(options.transfers === true && { allowPrivateConnections: true }),
          ...(hasMetrics && { metricsListen: { host, port: metricsPort } }),
          trustProxy: 'loopback',
        });
        await eventually(`${role} is ready`, async () => (await fetch(`${own}/readyz`)).ok);
      };
      nodes.push({
        role,
        url: own,
        metricsUrl: `http://${host}:${metricsPort}/metrics`,
        process: () => running!,
        start,
        stop: () => running!.stop(),
        kill: () => running!.kill(),
      });
      cleanups.push(async () => running?.kill());
    }
    await Promise.all(nodes.map((node) => node.start()));
    const apiPorts = nodes.filter(({ role }) => role === 'api').map((node) => Number(new URL(node.url).port));
    const before =
      front === 'haproxy'
        ? await startHaproxy(frontPort, haproxyApiConfig(frontPort, apiPorts))
        : await startApiNginx(frontPort, apiPorts, options.http2);
    cleanups.push(before.close);
    const objects = join(dataDir, 'objects', 'objects');
    const storage = storageUrl ? null : await startNginx({ port: storageFrontPort, storagePort, objects });
    if (storage) cleanups.push(storage.close);

    const call = callAt(url);
    const auth = await call<AuthResult>('POST', '/v1/auth', { body: usualOwner });
    const teamId = auth.body.teams[0]!.id;
    const key = await call<CreatedApiKey>('POST', `/v1/teams/${teamId}/api_keys`, {
      headers: { 'x-user-token': auth.body.token },
      body: { name: 'Nodes', state: 'active' },
    });
    return {
      nodes,
      url,
      teamId,
      userToken: auth.body.token,
      apiKey: key.body.key,
      call,
      async storedPaths() {
        if (!storage) return [];
        const lines = (await storage.log('longshore-storage.log')).split('\n').filter((line) => line !== '');
        const taken = lines.map((line) => JSON.parse(line) as { method: string; status: number; path: string });
        return taken.filter(({ method, status }) => method === 'PUT' && status === 200).map(({ path }) => path);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
