import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { packPackages } from '#main/start/pack-packages.ts';
import { buildPages } from '#main/start/pages.ts';
import { bringChromium } from './support/browser/bring-chromium.ts';
import { bringKeychain } from './support/engine/keychain.ts';
import { firstLevel, levelVariable } from './support/level.ts';
import { testArguments, usage } from './support/run/arguments.ts';
import { leftOut } from './support/run/left-out.ts';
import { logsVariable, masked, secretIn, secretsInLogs } from './support/run/secret-lines.ts';
import { type TestReport, verdictOf } from './support/run/summary.ts';
import { bringClamd } from './support/service/clamd.ts';
import { bringMosquitto } from './support/service/mosquitto.ts';
import { bringNginx } from './support/storage/nginx.ts';
import { bringRgw } from './support/storage/rgw.ts';
import { bringSwift } from './support/storage/swift.ts';
import { bringNginxStream } from './support/system/byte-proxies.ts';
import { bringPrograms } from './support/system/programs.ts';

/**
 * `npm test [-- --all | files | vitest's arguments]`: brings what tests need, runs them, and ends with one line that counts them.
 * By itself it runs every behaviour in its first variant, else all (`support/level.ts`).
 */

/** `LONGSHORE_TEST_CPU=1`: a table of what each file costs, too. */
const cpuReporter = process.env['LONGSHORE_TEST_CPU'] === '1' ? ['--reporter=./test/support/run/cpu-reporter.ts'] : [];

const { passed, whole, help } = testArguments(process.argv.slice(2));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** Lines of services' logs with a secret in them, masked. */
const leaked: string[] = [];

/** @returns the runner's exit code */
function runTests(reportFile: string, args: readonly string[], logs: string | null): Promise<number> {
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--reporter=default', '--reporter=json', ...cpuReporter, `--outputFile.json=${reportFile}`, ...args],
    // What services log comes by standard error, past the runner.
    {
      stdio: ['inherit', 'inherit', 'pipe'],
      env: { ...process.env, [levelVariable]: whole ? '' : firstLevel, ...(logs !== null && { [logsVariable]: logs }) },
    },
  );
  child.stderr.pipe(process.stderr, { end: false });
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (secretIn(line) !== null) leaked.push(masked(line));
  });
  // A Ctrl-C reaches the runner too; the verdict waits for its end.
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  const pass = () => child.kill('SIGTERM');
  process.on('SIGTERM', pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function readReport(file: string): TestReport | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestReport;
  } catch {
    return null;
  }
}

if (help) {
  say(usage);
  process.exit();
}
const missing = [
  bringChromium(say),
  bringSwift(say),
  bringRgw(say),
  bringMosquitto(say),
  bringClamd(say),
  bringNginx(say),
  bringNginxStream(say),
  bringPrograms(say),
  bringKeychain(say),
].filter((reason) => reason !== null);
await buildPages();
await packPackages();
const folder = mkdtempSync(join(tmpdir(), 'longshore-tests-'));
try {
  const reportFile = join(folder, 'report.json');
  // A soak has services log all they can.
  const logs = process.env['LONGSHORE_SOAK'] === '1' ? join(folder, 'logs') : null;
  if (logs !== null) mkdirSync(logs);
  const runnerExitCode = await runTests(reportFile, passed, logs);
  if (logs !== null) {
    const { lines, found } = await secretsInLogs(logs);
    leaked.push(...found);
    say(`${lines.toLocaleString('en-US')} lines of services' logs were looked through for secrets.`);
  }
  for (const reason of missing) say(reason);
  const report = readReport(reportFile);
  if (!whole) for (const one of leftOut(report, new URL('./', import.meta.url))) say(one);
  const { line, exitCode } = verdictOf(report, runnerExitCode);
  process.exitCode = leaked.length > 0 ? Math.max(1, exitCode) : exitCode;
  for (const one of leaked.slice(0, 20)) say(`A secret in a log: ${one}`);
  say(line);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
