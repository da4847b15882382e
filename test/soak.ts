import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * `npm run soak [-- vitest's arguments]`: all tests as `npm test -- --all` runs them, where some go on for long: many seeds,
 * hundreds of kills, gigabytes. Seeds begin at another number each time; `LONGSHORE_SEED` gives the first. Then all
 * once more in their usual length without the fast ways of HTTP and disks (`filesystem/fast.ts`).
 */
const script = fileURLToPath(new URL('./run.ts', import.meta.url));
let stopped = false;

/** @returns its exit code */
async function run(environment: Readonly<Record<string, string>>): Promise<number> {
  const child = spawn(process.execPath, [script, '--all', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  const stop = (signal: NodeJS.Signals): void => {
    stopped = true;
    // A Ctrl-C reaches it too.
    if (signal === 'SIGTERM') child.kill(signal);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.removeListener('SIGINT', stop);
  process.removeListener('SIGTERM', stop);
  return code ?? 1;
}

const soaked = await run({ LONGSHORE_SOAK: '1' });
process.exitCode = stopped ? soaked : Math.max(soaked, await run({ LONGSHORE_SOAK: '', LONGSHORE_FAST: 'off' }));
