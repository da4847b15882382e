import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { bucketIdKey } from '#service/objects-bucket.ts';
import { installPackage } from '../system/install-package.ts';
import { tempFolder } from '../system/temp-folder.ts';

/** Debian's own Python: the packages are not in others. */
const python = '/usr/bin/python3';
const script = fileURLToPath(new URL('./swift-server.py', import.meta.url));

/** Where tests ask for Swift: a port on 127.0.0.1, in the environment of every worker (lend-swift.ts). */
export const swiftVariable = 'LONGSHORE_TEST_SWIFT';

/** Where Debian has it. To ask Python costs a second of CPU. */
const usualFolder = '/usr/lib/python3/dist-packages/swift/common/middleware/s3api';

const installed = (): boolean =>
  (existsSync(python) && existsSync(usualFolder)) ||
  spawnSync(python, ['-c', 'import swift.common.middleware.s3api'], { stdio: 'ignore' }).status === 0;

/**
 * Sees to it that OpenStack Swift is there: finds it, or on Debian and its kin installs it when this user may.
 *
 * @param without what does not happen without it, as the beginning of a sentence
 * @returns null when it is there, else why not, as a sentence
 */
export function bringSwift(say: (text: string) => void, without = 'The S3 tests are skipped'): string | null {
  if (installed()) return null;
  const why = `${without}: there is no OpenStack Swift here`;
  say('There is no OpenStack Swift here: installing it.');
  const problem = installPackage('python3-swift');
  if (problem) return `${why}, ${problem}.`;
  return installed() ? null : `${why}, even after installing the package python3-swift.`;
}

export const hasSwift = installed;

/** A bucket in a Swift, of the user `test:tester` whose secret is `testing`. */
export interface SwiftBucket {
  readonly name: string;
  /** Where Swift is, as an origin. */
  readonly endpoint: string;
  /** As `STORAGE_URL`. */
  readonly url: string;
  /** The names of all that lies in the bucket and of all parts of uploads, finished or not; without what says whose it is. */
  stored(): Promise<string[]>;
}

/** Starts Swift in a folder and process of its own; both go with `close`. It ends when this process does; a Ctrl-C does not reach it. */
export async function startSwift(): Promise<{ readonly endpoint: string; close(): Promise<void> }> {
  const folder = await tempFolder();
  const child = spawn(python, [script, folder.path], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const ended = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.stdin.end();
    await ended;
    await folder.remove();
  };
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), ended.then(() => ['Swift ended at once.'])])) as [string];
  const port = /^ready (\d+)$/.exec(line)?.[1];
  if (port === undefined) {
    await close();
    throw new Error(line);
  }
  return { endpoint: `http://127.0.0.1:${port}`, close };
}

/** A new bucket in the Swift of this test run, which ends with the run. */
export async function newSwiftBucket(): Promise<SwiftBucket> {
  const endpoint = await text(connect(Number(process.env[swiftVariable]), '127.0.0.1'));
  if (!endpoint.startsWith('http://')) throw new Error(endpoint);
  const name = `o${randomUUID()}`;
  const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: name }));
  client.destroy();
  const stored = async (): Promise<string[]> => {
    // By Swift's own API, which shows the container of the parts too.
    const user = { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing' };
    const token = (await fetch(`${endpoint}/auth/v1.0`, { headers: user })).headers.get('x-auth-token');
    if (token === null) throw new Error('Swift gives no token.');
    const lists = [name, `${name}+segments`].map(async (container) => {
      const answer = await fetch(`${endpoint}/v1/AUTH_test/${encodeURIComponent(container)}`, { headers: { 'x-auth-token': token } });
      // There is no container of parts before the first.
      if (answer.status === 404) return [];
      if (!answer.ok) throw new Error(`Swift lists nothing: ${answer.status}`);
      return (await answer.text()).split('\n').filter((one) => one !== '' && !one.endsWith(`/${bucketIdKey}`));
    });
    return (await Promise.all(lists)).flat();
  };
  const url = `s3://test%3Atester:testing@${new URL(endpoint).host}/${name}?path_style=true&tls=false&prefix=longshore`;
  return { name, endpoint, url, stored };
}
