import { StartError } from '../start-error.ts';
import { openClamd } from '../viruses/clamd.ts';
import { parseClamdUrl } from '../viruses/clamd-address.ts';
import { ScanError, type VirusScanner } from '../viruses/ports.ts';
import { type Diagnosis, type DoctorOptions, fail, ok, warn } from './diagnosis.ts';
import { failed, reasonOf } from './failures.ts';

const about = 'virus scanner';
const patienceMilliseconds = 10_000;
const allMilliseconds = 30_000;
const oldDays = 7;

/** clamd: whether it answers and scans, and how old its database is. Where there is none, there is nothing to say. */
export async function lookAtScanner({ clamdUrl }: Pick<DoctorOptions, 'clamdUrl'>, patience = patienceMilliseconds): Promise<Diagnosis[]> {
  if (clamdUrl === undefined) return [];
  try {
    const scanner = openClamd(parseClamdUrl(clamdUrl), { connectMilliseconds: patience, idleMilliseconds: patience });
    const version = await scanner.version(AbortSignal.timeout(allMilliseconds));
    if (!version.startsWith('ClamAV '))
      return [fail(about, `What answers at ${clamdUrl} is no clamd.`, 'Correct --clamd-url: packages wait unscanned meanwhile.')];
    await scanSomething(scanner);
    return [databaseDiagnosis(version, new Date())];
  } catch (error) {
    const action =
      'Look at clamd and its log, and at --clamd-url; for a socket, whether this user is in its group (clamav). Packages wait meanwhile.';
    if (error instanceof StartError) return [fail(about, error.message, action)];
    if (error instanceof ScanError && error.code !== 'unreachable') return [fail(about, `${reasonOf(error)}.`, action)];
    return [failed(about, `The virus scanner at ${clamdUrl} cannot be reached`, error, action)];
  }
}

async function scanSomething(scanner: VirusScanner): Promise<void> {
  async function* bytes() {
    yield Buffer.from('longshore admin doctor');
  }
  await scanner.scan(bytes(), AbortSignal.timeout(allMilliseconds));
}

/** `version`: as clamd tells it, `ClamAV 1.4.3/27800/Fri Nov 27 09:27:00 2026`; without a database of ClamAV's, the first part alone. */
export function databaseDiagnosis(version: string, now: Date): Diagnosis {
  const [program, , made = ''] = version.split('/');
  const at = Date.parse(`${made} UTC`);
  if (Number.isNaN(at)) return ok(about, `${program} scans.`);
  const days = Math.floor((now.getTime() - at) / 86_400_000);
  if (days <= oldDays) return ok(about, `${program} scans, with a database of ${new Date(at).toISOString().slice(0, 10)}.`);
  return warn(about, `The database of ${program} is ${days} days old: newer viruses are not found.`, 'Look whether freshclam runs.');
}
