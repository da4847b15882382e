import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '#main/start/ports.ts';
import { endsWithUs } from '../system/ends-with-us.ts';
import { installPackage } from '../system/install-package.ts';
import { eventually } from '../system/processes.ts';
import { type TempFolder, tempFolder } from '../system/temp-folder.ts';

const places = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/local/bin/nginx', '/usr/bin/nginx'];
const found = (): string | undefined => places.find((place) => existsSync(place));

export const hasNginx = (): boolean => found() !== undefined;

/**
 * Sees to it that nginx is there: finds it, or on Debian and its kin installs it when this user may.
 *
 * @returns null when it is there, else why not, as a sentence
 */
export function bringNginx(say: (text: string) => void): string | null {
  if (hasNginx()) return null;
  const why = 'The tests of nginx before the storage are skipped: there is no nginx here';
  say('There is no nginx here: installing it for the tests of nginx before the storage.');
  const problem = installPackage('nginx');
  if (problem) return `${why}, ${problem}.`;
  return hasNginx() ? null : `${why}, even after installing the package nginx.`;
}

export interface FrontOptions {
  /** Where nginx listens, on 127.0.0.1. */
  readonly port: number;
  /** Where the storage listens, on 127.0.0.1. */
  readonly storagePort: number;
  /** The folder of objects. */
  readonly objects: string;
  /** The folder of logs and temporary files. */
  readonly folder: string;
  /** Files in PEM; without them it is plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** As whom the workers run, where this is root. */
  readonly user?: string | undefined;
  /** Without it nothing is logged. */
  readonly logs?: boolean;
}

const shipped = (name: string): string => fileURLToPath(new URL(`../../../resources/nginx/${name}`, import.meta.url));

/** The configuration that is shipped, with what an operator changes in it changed, and what nginx needs around it. */
export function frontConfig({ port, storagePort, objects, folder, tls, user = 'root', logs = true }: FrontOptions): string {
  let site = readFileSync(shipped('longshore-storage.conf'), 'utf8');
  const change = (from: string | RegExp, to: string): void => {
    if (!(typeof from === 'string' ? site.includes(from) : from.test(site))) throw new Error(`The shipped configuration has no ${from}.`);
    site = site.replaceAll(from, to);
  };
  change('127.0.0.1:8081', `127.0.0.1:${storagePort}`);
  change(/^ *listen \[::\]:443.*\n/gm, '');
  change('/var/lib/longshore-service/service/objects/objects', objects);
  change('/etc/nginx/longshore-storage-locations.conf', shipped('longshore-storage-locations.conf'));
  change('storage.example.com', '127.0.0.1');
  if (logs) change('/var/log/nginx/', `${folder}/`);
  else change(/^ *access_log .*$/gm, 'access_log off;');
  if (!logs) change(/^ *error_log .*$/gm, 'error_log /dev/null emerg;');
  if (tls) {
    change('listen 443 ssl', `listen 127.0.0.1:${port} ssl`);
    change('/etc/ssl/longshore/storage.pem', tls.cert);
    change('/etc/ssl/longshore/storage.key', tls.key);
  } else {
    change('listen 443 ssl', `listen 127.0.0.1:${port}`);
    change(/^ *ssl_.*\n/gm, '');
  }
  return inMain(site, folder, user);
}

/** What nginx needs around the shipped files. */
export function inMain(site: string, folder: string, user = 'root'): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/temp_${name};`);
  return `${process.getuid?.() === 0 ? `user ${user};\n` : ''}worker_processes auto;
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/main-error.log error;
events { worker_connections 1024; }
http {
${temporary.join('\n')}
${site}
}
`;
}

export interface RunningNginx {
  readonly url: string;
  /** What is in a log of the storage's. Buffers of nginx are none, so it is complete as soon as the answer has ended. */
  log(name: 'longshore-storage.log' | 'longshore-storage-error.log' | 'main-error.log'): Promise<string>;
  close(): Promise<void>;
}

/** A second port, with TLS and HTTP/2 as it is shipped. Files in PEM. */
export interface Http2Front {
  readonly port: number;
  readonly cert: string;
  readonly key: string;
}

/** The same of the configuration before API nodes, on these ports of 127.0.0.1, in plain HTTP. */
export function apiConfig({
  port,
  apiPorts,
  folder,
  http2,
  user = 'root',
}: {
  readonly port: number;
  readonly apiPorts: readonly number[];
  readonly folder: string;
  readonly http2?: Http2Front | undefined;
  readonly user?: string;
}): string {
  let site = readFileSync(shipped('longshore-api.conf'), 'utf8');
  const change = (from: RegExp, to: string): void => {
    if (!from.test(site)) throw new Error(`The shipped configuration has no ${from}.`);
    site = site.replace(from, to);
  };
  const lines = (words: string): string => apiPorts.map((apiPort) => `    server 127.0.0.1:${apiPort} ${words};\n`).join('');
  change(/( *server 127\.0\.0\.1:.* fail_timeout=2s;\n)+/, lines('max_fails=1 fail_timeout=2s'));
  change(/( *server 127\.0\.0\.1:.* backup;\n)+/, lines('max_fails=0 backup'));
  change(/proxy_next_upstream_tries \d+/, `proxy_next_upstream_tries ${apiPorts.length}`);
  change(/^ *listen \[::\]:443.*\n/m, '');
  const plain = `listen 127.0.0.1:${port} so_keepalive=3s:1s:3;`;
  if (http2) {
    change(/listen 443 ssl http2 .*/, `${plain} listen 127.0.0.1:${http2.port} ssl http2;`);
    change(/\/etc\/ssl\/longshore\/files\.pem/, http2.cert);
    change(/\/etc\/ssl\/longshore\/files\.key/, http2.key);
  } else {
    change(/listen 443 ssl http2 .*/, plain);
    change(/(^ *ssl_.*\n)+/m, '');
  }
  change(/files\.example\.com/, '127.0.0.1');
  change(/\/var\/log\/nginx\//, `${folder}/`);
  return inMain(site, folder, user);
}

interface NginxOptions extends Pick<FrontOptions, 'objects' | 'tls' | 'user'> {
  /** By default any free one; known beforehand, the storage can sign addresses with it. */
  readonly port?: number;
  readonly storagePort: number;
}

/** Starts nginx before a storage, with the shipped configuration, in a folder and processes of its own; all go with `close`. */
export async function startNginx(options: NginxOptions): Promise<RunningNginx> {
  const port = options.port ?? (await freePort(0));
  return await run(port, options.tls ? 'https' : 'http', (folder) => frontConfig({ ...options, port, folder }));
}

/** The same before API nodes. */
export const startApiNginx = (port: number, apiPorts: readonly number[], http2?: Http2Front): Promise<RunningNginx> =>
  run(port, 'http', (folder) => apiConfig({ port, apiPorts, folder, http2 }));

async function run(port: number, protocol: 'http' | 'https', config: (folder: string) => string): Promise<RunningNginx> {
  const folder = await tempFolder();
  const file = join(folder.path, 'nginx.conf');
  await mkdir(join(folder.path, 'temp_client_body'));
  await writeFile(file, config(folder.path));
  // Its workers end with it, by SIGTERM alone.
  const args = ['-p', `${folder.path}/`, '-c', file, '-e', join(folder.path, 'main-error.log')];
  const child = spawn(...endsWithUs(found()!, args), { stdio: 'ignore' });
  const close = (): Promise<void> => ended(child, folder);
  try {
    await eventually('nginx answers', async () => {
      if (child.exitCode !== null) throw new Error(`nginx did not start: ${await readFile(join(folder.path, 'main-error.log'), 'utf8')}`);
      return listens(port);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `${protocol}://127.0.0.1:${port}`, log: (name) => readFile(join(folder.path, name), 'utf8'), close };
}

async function ended(child: ChildProcess, folder: TempFolder): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }
  await folder.remove();
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
