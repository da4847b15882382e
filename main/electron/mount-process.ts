import type { utilityProcess } from 'electron';
import type { FromMount } from '#engine/gateway/mount-process/messages.ts';
import type { MountChild } from '#engine/gateway/mount-process/mount-child.ts';

/**
 * The process of a mount as a utility process of Electron. A child of Node cannot be one: the packaged app does not run
 * as Node (`runAsNode` in electron-builder.yml), it would start once more as the app. Only after the app is ready.
 *
 * @param script the built `mount-process.js`, beside the built `main.js`
 */
export function startMountUtility({ fork }: Pick<typeof utilityProcess, 'fork'>, script: string): MountChild {
  const child = fork(script, [], { serviceName: 'Longshore mount', stdio: ['ignore', 'ignore', 'inherit'] });
  let isOver = false;
  child.once('exit', () => {
    isOver = true;
  });
  return {
    get pid() {
      return child.pid;
    },
    send(message) {
      if (!isOver) child.postMessage(message);
      return !isOver;
    },
    listen({ message, error, exit }) {
      child.on('message', (data) => message(data as FromMount));
      child.on('error', (type, location) => error(`${type} at ${location}`));
      child.on('exit', (code) => exit({ code }));
    },
    abandon() {
      child.removeAllListeners();
      isOver = true;
      // Electron's own way asks it to end, which one that waits for its disk does not hear.
      if (child.pid === undefined) child.kill();
      else killByForce(child.pid);
    },
  };
}

function killByForce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
