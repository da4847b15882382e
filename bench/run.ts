import { fileURLToPath } from 'node:url';
import { stopRequest } from '#main/cli/signals.ts';
import { bench } from './bench.ts';
import { parseOptions, UsageError, usage } from './options.ts';
import { writeResults } from './report/page.ts';

/** `npm run bench`: see README.md. */

const page = fileURLToPath(new URL('README.md', import.meta.url));

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, page);
  if (options === null) {
    process.stdout.write(usage);
    return 0;
  }
  if (process.platform !== 'linux') throw new UsageError('The benchmark reads what the Linux kernel counts: run it on Linux.');
  // What is measured is started from this environment, with its own database and storage.
  for (const name of Object.keys(process.env)) if (/^(LONGSHORE_|DATABASE_URL$|STORAGE_URL$)/.test(name)) delete process.env[name];
  const request = stopRequest();
  const stopping = new AbortController();
  void request.asked.then(() => stopping.abort(new Error('Stopped.')));
  try {
    const { sections, whole } = await bench(options, { signal: stopping.signal, say: (line) => process.stderr.write(`${line}\n`) });
    for (const [section, found] of sections) {
      process.stdout.write(found);
      if (options.output !== null) await writeResults(options.output, found, section);
    }
    return whole ? 0 : 1;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    process.stderr.write('Stopped; nothing was written.\n');
    return 130;
  } finally {
    request.release();
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
