import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endsWithUs } from '../system/ends-with-us.ts';
import { eventually } from '../system/processes.ts';
import { tempFolder } from '../system/temp-folder.ts';

const program = '/usr/sbin/haproxy';
export const hasHaproxy = (): boolean => existsSync(program);

export interface RunningProxy {
  close(): Promise<void>;
}

/** The configuration that is shipped, with what an operator changes in it changed: plain HTTP on this port, before nodes on these. */
export function haproxyApiConfig(port: number, apiPorts: readonly number[]): string {
  let config = readFileSync(fileURLToPath(new URL('../../../resources/haproxy/longshore-api.cfg', import.meta.url)), 'utf8');
  const change = (from: RegExp, to: string): void => {
    if (!from.test(config)) throw new Error(`The shipped configuration has no ${from}.`);
    config = config.replace(from, to);
  };
  change(/bind :443 ssl .*/, `bind 127.0.0.1:${port}`);
  // Only root may become another.
  if (process.getuid?.() !== 0) change(/(^ *(user|group|chroot) .*\n)+/m, '');
  change(/( *server api\d .*\n)+/, apiPorts.map((one, index) => `    server api${index} 127.0.0.1:${one}\n`).join(''));
  return config;
}

/** Passes connections on to the first of two PostgreSQLs that listens, and ends those to one that has stopped. */
export const haproxyDatabaseConfig = (port: number, [primary, standby]: readonly [number, number]): string => `
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
listen postgres
    bind 127.0.0.1:${port}
    default-server check inter 200ms fall 1 rise 1 on-marked-down shutdown-sessions
    server primary 127.0.0.1:${primary}
    server standby 127.0.0.1:${standby} backup
`;

/** Starts HAProxy in a process of its own, which listens on this port. */
export async function startHaproxy(port: number, config: string): Promise<RunningProxy> {
  const folder = await tempFolder();
  const file = join(folder.path, 'haproxy.cfg');
  await writeFile(file, config);
  const child = spawn(...endsWithUs(program, ['-f', file, '-db']), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
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
    await eventually('HAProxy listens', async () => {
      if (child.exitCode !== null) throw new Error(`HAProxy did not start: ${said}`);
      return await listens(port);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
