import { stopRequest } from '#main/cli/signals.ts';
import { type LocalCloud, startLocalAzure, startLocalRgw, startLocalSwift } from './support/providers/local-clouds.ts';
import { bringRgw } from './support/storage/rgw.ts';
import { bringSwift } from './support/storage/swift.ts';

/**
 * `npm run clouds`: three clouds on this machine to try connections with (docs/connections.md), until Ctrl-C. What it prints may
 * be pasted into a shell as it is.
 */

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const comment = (text: string): void => say(`# ${text}`);

const kinds = [
  { bring: () => bringSwift(comment, 'Swift is left out'), start: startLocalSwift },
  { bring: () => bringRgw(comment, 'Ceph is left out'), start: startLocalRgw },
  // It comes with the other packages of npm.
  { bring: () => null, start: startLocalAzure },
];

function present({ title, variable, connection, list }: LocalCloud): void {
  say('');
  comment(`${title}. What has landed there:`);
  comment(`  ${list}`);
  say(`export ${variable}='${JSON.stringify(connection)}'`);
}

const stop = stopRequest();
let isStopping = false;
const stopped = stop.asked.then(() => {
  isStopping = true;
});
const running: LocalCloud[] = [];
try {
  comment('Clouds on this machine, empty, until Ctrl-C. Paste this into the shell in which you make connections to them.');
  for (const { bring, start } of kinds) {
    if (isStopping) break;
    const missing = bring();
    if (missing !== null) {
      comment(missing);
      continue;
    }
    const cloud = await start();
    running.push(cloud);
    present(cloud);
  }
  if (!isStopping) {
    say('');
    comment('Press Ctrl-C to stop.');
  }
  await stopped;
} finally {
  for (const cloud of running) await cloud.close();
  stop.release();
}
