import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { installPackage } from '../system/install-package.ts';

/** Where tests ask for the gateway: a Unix socket, in the environment of every worker (lend-rgw.ts). */
export const rgwVariable = 'LONGSHORE_TEST_RGW';

/** What is called of Ceph, and the Debian packages that bring it. */
const programs = ['radosgw', 'radosgw-admin', 'rados', 'ceph-mon', 'ceph-osd', 'monmaptool', 'ceph-authtool'];
const packages = ['radosgw', 'ceph-mon', 'ceph-osd'];

export const hasRgw = (): boolean => existsSync('/usr/bin/python3') && programs.every((program) => existsSync(`/usr/bin/${program}`));

/**
 * Sees to it that Ceph's RADOS Gateway is there: finds it, or on Debian and its kin installs it when this user may.
 *
 * @param without what does not happen without it, as the beginning of a sentence
 * @returns null when it is there, else why not, as a sentence
 */
export function bringRgw(
  say: (text: string) => void,
  without = 'The tests of cloud providers with Ceph RADOS Gateway are skipped',
): string | null {
  if (hasRgw()) return null;
  const why = `${without}: there is no Ceph RADOS Gateway here`;
  say('There is no Ceph RADOS Gateway here: installing it (70 MB).');
  for (const name of packages) {
    const problem = installPackage(name);
    if (problem) return `${why}, ${problem}.`;
  }
  return hasRgw() ? null : `${why}, even after installing the packages ${packages.join(', ')}.`;
}

/** What a line to the lender is answered with. */
export type RgwAnswer = { readonly endpoint: string } | { readonly out: string } | { readonly error: string };

export interface RgwUser {
  readonly id: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The gateway of this test run: one for all, so users and buckets are made anew by whoever wants some. */
export interface RunningRgw {
  readonly endpoint: string;
  /** Runs `radosgw-admin` with these arguments, quoted as for a shell. Gives what it printed; rejects if it failed. */
  admin(command: string): Promise<string>;
  /** Changes a byte of an object below the gateway, which goes on to say what it was stored with. */
  flip(bucket: string, key: string, at: number): Promise<void>;
  newUser(): Promise<RgwUser>;
  /** A new bucket of this user. `stored` gives what lies in it: objects, and uploads that are not finished. */
  newBucket(user: RgwUser): Promise<{ readonly name: string; stored(): Promise<string[]> }>;
  /** One that keeps versions: `stored` gives each of them, and the marks of what is hidden. */
  newVersionedBucket(user: RgwUser): Promise<{ readonly name: string; stored(): Promise<string[]> }>;
  /** Gives it back; it ends with the run. */
  close(): Promise<void>;
}

export async function borrowRgw(): Promise<RunningRgw> {
  const socket = connect(process.env[rgwVariable] ?? '');
  await once(socket, 'connect');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  let turn: Promise<unknown> = Promise.resolve();
  const ask = (line: string): Promise<RgwAnswer> => {
    const answer = turn.then(async () => {
      socket.write(`${line}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('The lender of the gateway is gone.');
      return JSON.parse(value) as RgwAnswer;
    });
    turn = answer.catch(() => undefined);
    return answer;
  };
  const started = await ask('start');
  if (!('endpoint' in started)) throw new Error('error' in started ? started.error : 'The gateway did not start.');
  const { endpoint } = started;
  const clients: S3Client[] = [];
  const admin = async (command: string): Promise<string> => {
    const answer = await ask(command);
    if ('out' in answer) return answer.out;
    throw new Error('error' in answer ? answer.error : 'No answer.');
  };

  async function createBucket({ accessKeyId, secretAccessKey }: RgwUser): Promise<{ readonly client: S3Client; readonly name: string }> {
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
    clients.push(client);
    const name = `b${randomUUID()}`;
    await client.send(new CreateBucketCommand({ Bucket: name }));
    return { client, name };
  }
  const unfinished = async (client: S3Client, name: string): Promise<string[]> => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: name }));
    return Uploads.map(({ Key, UploadId }) => `${Key} ${UploadId}`);
  };

  return {
    endpoint,
    admin,
    async flip(bucket, key, at) {
      const folder = await mkdtemp(join(tmpdir(), 'longshore-test-flip-'));
      const pool = 'rados -p default.rgw.buckets.data';
      // A large object has its bytes in others, whose names have the key too.
      const { id } = JSON.parse(await admin(`bucket stats --bucket=${bucket}`)) as { readonly id: string };
      const names = (await admin(`${pool} ls`)).split('\n').filter((name) => name.startsWith(id) && name.includes(key));
      const file = join(folder, 'bytes');
      for (const name of names.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))) {
        await admin(`${pool} get ${name} ${file}`);
        const bytes = await readFile(file);
        if (bytes.length <= at) continue;
        bytes[at]! ^= 1;
        await writeFile(file, bytes);
        await admin(`${pool} put ${name} ${file}`);
        break;
      }
      await rm(folder, { recursive: true });
    },
    async newUser() {
      const id = `u${randomUUID().replaceAll('-', '')}`;
      const user = { id, accessKeyId: `AKID${id.slice(0, 12).toUpperCase()}`, secretAccessKey: `secret-${randomUUID()}` };
      await admin(`user create --uid=${id} --display-name=${id} --access-key=${user.accessKeyId} --secret=${user.secretAccessKey}`);
      return user;
    },
    async newBucket(user) {
      const { client, name } = await createBucket(user);
      return {
        name,
        async stored() {
          const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: name }));
          return [...Contents.map(({ Key }) => Key!), ...(await unfinished(client, name))];
        },
      };
    },
    async newVersionedBucket(user) {
      const { client, name } = await createBucket(user);
      await client.send(new PutBucketVersioningCommand({ Bucket: name, VersioningConfiguration: { Status: 'Enabled' } }));
      return {
        name,
        async stored() {
          const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: name }));
          const hidden = DeleteMarkers.map(({ Key, VersionId }) => `${Key} ${VersionId} hidden`);
          return [...Versions.map(({ Key, VersionId }) => `${Key} ${VersionId}`), ...hidden, ...(await unfinished(client, name))];
        },
      };
    },
    async close() {
      for (const client of clients) client.destroy();
      socket.end();
      await once(socket, 'close');
    },
  };
}
