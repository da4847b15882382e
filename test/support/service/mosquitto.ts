import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPackage } from '../system/install-package.ts';
import { eventually } from '../system/processes.ts';
import { tempFolder } from '../system/temp-folder.ts';

const run = promisify(execFile);
const program = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto', '/usr/bin/mosquitto', '/opt/homebrew/sbin/mosquitto'].find(existsSync);
const found = (): string | undefined => program ?? (existsSync('/usr/sbin/mosquitto') ? '/usr/sbin/mosquitto' : undefined);

export const hasMosquitto = (): boolean => found() !== undefined;

/**
 * Sees to it that the MQTT broker Mosquitto is there: finds it, or on Debian and its kin installs it when this user may.
 *
 * @returns null when it is there, else why not, as a sentence
 */
export function bringMosquitto(say: (text: string) => void): string | null {
  if (hasMosquitto()) return null;
  const why = 'The MQTT tests are skipped: there is no Mosquitto here';
  say('There is no Mosquitto here: installing it for the MQTT tests.');
  const problem = installPackage('mosquitto');
  if (problem) return `${why}, ${problem}.`;
  return hasMosquitto() ? null : `${why}, even after installing the package mosquitto.`;
}

export interface RunningMosquitto {
  readonly port: number;
  close(): Promise<void>;
}

export interface MosquittoOptions {
  readonly user?: { readonly name: string; readonly password: string };
  /** Files in PEM. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Starts Mosquitto on a free port of 127.0.0.1, in a folder and process of its own; both go with `close`. */
export async function startMosquitto({ user, tls }: MosquittoOptions = {}): Promise<RunningMosquitto> {
  const folder = await tempFolder();
  const port = await freePort();
  const passwords = join(folder.path, 'passwords');
  if (user) await run('mosquitto_passwd', ['-b', '-c', passwords, user.name, user.password]);
  const settings = [
    `listener ${port} 127.0.0.1`,
    ...(user ? ['allow_anonymous false', `password_file ${passwords}`] : ['allow_anonymous true']),
    ...(tls ? [`certfile ${tls.cert}`, `keyfile ${tls.key}`] : []),
    // As root it would become another user, who may not read the folder.
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    'persistence false',
    'log_dest none',
  ];
  const file = join(folder.path, 'mosquitto.conf');
  await writeFile(file, `${settings.join('\n')}\n`);
  const child = spawn(found()!, ['-c', file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await folder.remove();
  };
  try {
    await eventually('Mosquitto answers', () => answers(port));
  } catch (error) {
    await close();
    throw error;
  }
  return { port, close };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSocket(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
