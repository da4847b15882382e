import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Accepted, type AuditReport, auditVerdict } from './support/run/audit.ts';

/**
 * `npm run audit`: asks the registry for known faults in the packages of the lock file that run. Ends with 1 for any; a
 * machine that cannot ask says so and ends with 0. What does not reach us is named below, with its reason and an end.
 */
const accepted: readonly Accepted[] = [];

const npm = process.env['npm_execpath'];
const [program, before] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
const { stdout } = spawnSync(program, [...before, 'audit', '--json', '--omit=dev', '--package-lock-only'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});

function reportOf(text: string): AuditReport {
  try {
    return JSON.parse(text) as AuditReport;
  } catch {
    return { message: 'npm gave no report' };
  }
}

const { lines, exitCode } = auditVerdict(reportOf(stdout), accepted, new Date().toISOString().slice(0, 10));
for (const line of lines) process.stdout.write(`${line}\n`);
process.exitCode = exitCode;
