import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '#main/start/ports.ts';
import { installPackage } from './install-package.ts';
import { eventually } from './processes.ts';
import { tempFolder } from './temp-folder.ts';

/** The address that these proxies connect from. */
export const proxyAddress = '127.0.0.2';

const streamModule = '/usr/lib/nginx/modules/ngx_stream_module.so';
export const hasNginxStream = (): boolean => existsSync('/usr/sbin/nginx') && existsSync(streamModule);

/** nginx's module for connections, as `bringNginx`: null when it is there, else why the tests are skipped. */
export function bringNginxStream(say: (text: string) => void): string | null {
  if (hasNginxStream()) return null;
  say('nginx has no stream module here: installing it for the tests of the PROXY protocol.');
  const problem = installPackage('libnginx-mod-stream');
  return problem ? `The tests of nginx and the PROXY protocol are skipped: it has no stream module here, ${problem}.` : null;
}

const haproxy = (port: number, to: number, version: 1 | 2): string => `
global
  nbthread 1
defaults
  mode tcp
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen front
  bind 127.0.0.1:${port}
  server back 127.0.0.1:${to} source ${proxyAddress} ${version === 2 ? 'send-proxy-v2' : 'send-proxy'}
`;

const nginx = (port: number, to: number, folder: string): string => `
load_module ${streamModule};
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events { worker_connections 256; }
stream {
  server {
    listen 127.0.0.1:${port};
    proxy_bind ${proxyAddress};
    proxy_pass 127.0.0.1:${to};
    proxy_protocol on;
  }
}
`;

/** Starts a real proxy that passes on bytes from a port of its own to another, and says for whom. */
export async function startByteProxy(
  kind: 'haproxy v1' | 'haproxy v2' | 'nginx',
  to: number,
): Promise<{ port: number; close(): Promise<void> }> {
  const folder = await tempFolder();
  const port = await freePort(0);
  const file = join(folder.path, 'proxy.conf');
  await writeFile(file, kind === 'nginx' ? nginx(port, to, folder.path) : haproxy(port, to, kind === 'haproxy v1' ? 1 : 2));
  const [program, ...args] =
    kind === 'nginx'
      ? ['/usr/sbin/nginx', '-p', `${folder.path}/`, '-c', file, '-e', join(folder.path, 'error.log')]
      : ['/usr/sbin/haproxy', '-f', file, '-db'];
  const child = spawn(program!, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }
    await folder.remove();
  };
  try {
    await eventually(`${kind} listens`, async () => {
      if (child.exitCode !== null) throw new Error(`${kind} did not start: ${said}`);
      return listens(port);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { port, close };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
