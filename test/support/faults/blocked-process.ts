import { channel } from 'node:diagnostics_channel';
import { existsSync, openSync } from 'node:fs';
import { startWatchdog } from '#main/watchdog/watchdog.ts';

/** A watched process whose event loop stands until a file is there (`script`) or a pipe's other end (`system`), or is idle. */
const [how, path] = process.argv.slice(2) as [string, string];
const activity = channel('longshore.test');
const watchdog = startWatchdog({
  activities: [activity],
  output: 2,
  plain: false,
  stood: (ms) => process.stderr.write(`stood ${ms}\n`),
  // A crowded machine may keep the idle one from its beats.
  stallMs: how === 'script' || how === 'system' ? 300 : 600_000,
  lookMs: 100,
  // A call to the system never says where it is; a script does as soon as it has the processor.
  stackMs: how === 'system' ? 100 : 60_000,
});

function standStill(): void {
  while (!existsSync(path));
}

// The first beat, after which it is watched in earnest.
setTimeout(() => {
  activity.publish('count the waves');
  if (how === 'script') standStill();
  if (how === 'system') openSync(path, 'r');
  if (how === 'closed') watchdog.close();
  // Long enough for a beat that sees how long it has stood; nothing else keeps this process alive.
  if (how === 'script' || how === 'system') setTimeout(() => process.stderr.write('goes on\n'), 200);
}, 200);
