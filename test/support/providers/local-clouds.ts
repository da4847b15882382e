import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { createPresigner } from '#storage/s3/presign.ts';
import { startRgw } from '../storage/start-rgw.ts';
import { startSwift } from '../storage/swift.ts';
import { tempFolder } from '../system/temp-folder.ts';
import { accountSas, azuriteAccount, azuriteVersion, serviceSas } from './azurite/azurite.ts';
import { startAzurite } from './azurite/start.ts';

/** A cloud that somebody tries connections with: a real server on this machine, with an empty bucket or container. */
export interface LocalCloud {
  readonly title: string;
  /** Holds the body of its connection in the documentation's commands. */
  readonly variable: string;
  /** The body of `POST /v1/teams/{id}/cloud_connections`. */
  readonly connection: Readonly<Record<string, unknown>>;
  /** A command that lists what lies there. */
  readonly list: string;
  close(): Promise<void>;
}

const bucket = 'deliveries';
const week = 7 * 24 * 60 * 60 * 1000;

interface S3Server {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Makes the bucket; the connection to it, and the command that lists it. */
async function withBucket(name: string, { endpoint, ...credentials }: S3Server): Promise<Pick<LocalCloud, 'connection' | 'list'>> {
  const region = 'us-east-1';
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  const presign = createPresigner({
    credentials: async () => credentials,
    region,
    endpoint,
    bucket,
    pathStyle: true,
    now: () => new Date(),
  });
  const listing = { method: 'GET', key: '', query: { 'list-type': '2' }, expiresAt: new Date(Date.now() + week) } as const;
  return {
    connection: {
      name,
      provider: 'generic_s3',
      authorization: {
        endpoint,
        destination: bucket,
        client_id: credentials.accessKeyId,
        client_secret: credentials.secretAccessKey,
        force_s3_path_style: 'true',
      },
      upload_transfer_manifest: true,
    },
    list: `curl --silent '${await presign(listing)}' | grep -o '<Key>[^<]*'`,
  };
}

export async function startLocalSwift(): Promise<LocalCloud> {
  const { endpoint, close } = await startSwift();
  const server = { endpoint, accessKeyId: 'test:tester', secretAccessKey: 'testing' };
  return { title: 'OpenStack Swift, by its S3 API', variable: 'SWIFT', ...(await withBucket('Swift', server)), close };
}

export async function startLocalRgw(): Promise<LocalCloud> {
  const folder = await tempFolder();
  const { endpoint, admin, close } = await startRgw(join(folder.path, 'ceph'));
  const server = { endpoint, accessKeyId: 'AKIDLONGSHORE', secretAccessKey: randomUUID() };
  const key = `--access-key=${server.accessKeyId} --secret=${server.secretAccessKey}`;
  await admin(`user create --uid=longshore --display-name=Longshore ${key}`);
  return {
    title: 'Ceph RADOS Gateway, by its S3 API',
    variable: 'CEPH',
    ...(await withBucket('Ceph', server)),
    async close() {
      await close();
      await folder.remove();
    },
  };
}

export async function startLocalAzure(): Promise<LocalCloud> {
  const azurite = await startAzurite();
  const service = `${azurite.url}/${azuriteAccount}`;
  const headers = { 'x-ms-version': azuriteVersion };
  const creating = `${service}/${bucket}?restype=container&${accountSas({ permissions: 'c', resourceTypes: 'c' })}`;
  const { ok, status } = await fetch(creating, { method: 'PUT', headers });
  if (!ok) throw new Error(`Azurite makes no container: ${status}`);
  const sas = serviceSas(bucket, { expires: new Date(Date.now() + 4 * week) });
  return {
    title: 'Azurite, which stands for Azure Blob Storage',
    variable: 'AZURE',
    connection: {
      name: 'Azure',
      provider: 'azure',
      authorization: { blob_service_sas_url: `${service}?${sas}`, destination: bucket },
    },
    list: `curl --silent '${service}/${bucket}?restype=container&comp=list&${sas}' | grep -o '<Name>[^<]*'`,
    close: azurite.close,
  };
}
