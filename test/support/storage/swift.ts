import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { installPackage } from '../system/install-package.ts';
import { tempFolder } from '../system/temp-folder.ts';

/** Debian's own Python: the packages are not in others. */
const python = '/usr/bin/python3';
const script = fileURLToPath(new URL('./swift-server.py', import.meta.url));

const installed = (): boolean => spawnSync(python, ['-c', 'import swift.common.middleware.s3api'], { stdio: 'ignore' }).status === 0;

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

export interface RunningSwift {
  /** As `STORAGE_URL`, with a bucket that is there and empty. */
  readonly url: string;
  /** The names of all that lies in the bucket and of all parts of uploads, finished or not. */
  stored(): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts Swift in a folder and process of its own; both go with `close`. It ends when this process does; a Ctrl-C does not reach it. */
export async function startSwift(): Promise<RunningSwift> {
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
  const endpoint = `127.0.0.1:${port}`;
  const client = new S3Client({
    endpoint: `http://${endpoint}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'test:tester', secretAccessKey: 'testing' },
  });
  await client.send(new CreateBucketCommand({ Bucket: 'objects' }));
  client.destroy();
  const stored = async (): Promise<string[]> => {
    // By Swift's own API, which shows the container of the parts too.
    const user = { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing' };
    const token = (await fetch(`http://${endpoint}/auth/v1.0`, { headers: user })).headers.get('x-auth-token');
    if (token === null) throw new Error('Swift gives no token.');
    const lists = ['objects', 'objects+segments'].map(async (container) => {
      const answer = await fetch(`http://${endpoint}/v1/AUTH_test/${encodeURIComponent(container)}`, {
        headers: { 'x-auth-token': token },
      });
      // There is no container of parts before the first.
      if (answer.status === 404) return [];
      if (!answer.ok) throw new Error(`Swift lists nothing: ${answer.status}`);
      return (await answer.text()).split('\n').filter((name) => name !== '');
    });
    return (await Promise.all(lists)).flat();
  };
  const url = `s3://test%3Atester:testing@${endpoint}/objects?path_style=true&tls=false&prefix=longshore`;
  return { url, stored, close };
}
