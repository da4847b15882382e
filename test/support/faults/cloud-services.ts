import { join } from 'node:path';
import pg from 'pg';
import { usualOwner } from '../service/owner.ts';
import { startedTestDatabase } from '../service/postgres.ts';
import { type ServiceProcess, startServiceProcess } from '../service/start-service-process.ts';
import { shareSecret } from '../service/two-services.ts';
import { borrowRgw } from '../storage/rgw.ts';
import { newSwiftBucket, type SwiftBucket } from '../storage/swift.ts';
import { tempFolder } from '../system/temp-folder.ts';
import { azureServer, type CloudServer, type S3Server, s3Server } from './cloud-servers.ts';
import { type FaultProxy, startFaultProxy } from './proxy/proxy.ts';

/** Service processes to be killed, on one database, with real clouds behind a proxy that makes faults. */
export interface CloudServices {
  readonly servers: {
    readonly azure: CloudServer;
    readonly ceph: S3Server;
    readonly openStack: S3Server;
  };
  /** Between the services and the clouds; its upstream is set by whoever has made a bucket. */
  readonly proxy: FaultProxy;
  readonly database: pg.Pool;
  /** Holds the services' own storage too, so that any of them reads it. */
  readonly swift: SwiftBucket;
  /** Those that run, the oldest first. */
  readonly nodes: readonly ServiceProcess[];
  /** One more, on the data folder that the last one did not have. */
  addNode(): Promise<ServiceProcess>;
  killNode(node: ServiceProcess): Promise<void>;
  /** The time passes after which a process that says nothing counts as dead. For leases of processes that are. */
  lapseLeases(): Promise<unknown>;
  /** Pauses before further attempts are over at once. */
  endPauses(): Promise<unknown>;
  /** Ends what a test that failed has left under way: it would meet the faults of the next one. */
  endLeftovers(): Promise<void>;
  close(): Promise<void>;
}

/** @param storageUrl where the services keep their own objects, from the URL that Swift has */
export async function startCloudServices(storageUrl: (swiftUrl: string) => string = (url) => url): Promise<CloudServices> {
  const cleanups: (() => Promise<unknown> | unknown)[] = [];
  const nodes: ServiceProcess[] = [];
  let started = 0;
  const killNodes = async (): Promise<void> => {
    for (const node of nodes.splice(0)) await node.kill();
  };
  const close = async (): Promise<void> => {
    await killNodes();
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const folder = await tempFolder();
    cleanups.push(folder.remove);
    const dataDirs = [join(folder.path, 'first'), join(folder.path, 'second')] as const;
    const { url: databaseUrl, close: giveBack } = await startedTestDatabase(dataDirs[0]);
    cleanups.push(giveBack);
    await shareSecret(...dataDirs);
    const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    // A pool has ended before its connections have closed: the database's removal may end one first. A query still fails.
    database.on('connect', (client) => client.on('error', () => undefined));
    // An idle connection tells its pool.
    database.on('error', () => undefined);
    cleanups.push(() => database.end());

    const rgw = await borrowRgw();
    cleanups.push(rgw.close);
    const user = await rgw.newUser();
    const swift = await newSwiftBucket();
    const ceph = s3Server(rgw.endpoint, user.accessKeyId, user.secretAccessKey);
    const openStack = s3Server(swift.endpoint, 'test:tester', 'testing');
    cleanups.push(ceph.close, openStack.close);
    const proxy = await startFaultProxy();
    cleanups.push(proxy.close);

    return {
      servers: { azure: azureServer, ceph, openStack },
      proxy,
      database,
      swift,
      nodes,
      async addNode() {
        const dataDir = dataDirs[started++ % 2]!;
        const options = { dataDir, databaseUrl, storageUrl: storageUrl(swift.url), owner: usualOwner, allowPrivateConnections: true };
        const node = await startServiceProcess(options);
        nodes.push(node);
        return node;
      },
      async killNode(node) {
        nodes.splice(nodes.indexOf(node), 1);
        await node.kill();
      },
      lapseLeases: () => database.query('update cloud_transfers set due_at = clock_timestamp() where lease_id is not null'),
      endPauses: () =>
        database.query('update cloud_transfers set due_at = clock_timestamp() where lease_id is null and due_at > clock_timestamp()'),
      async endLeftovers() {
        const { rowCount } = await database.query(
          "update cloud_transfers set state = 'cancelled', cleanup = false, due_at = null, lease_id = null where due_at is not null",
        );
        if (rowCount !== 0) await killNodes();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
