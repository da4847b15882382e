import type { Log } from '../log.ts';
import { lookAtDatabase } from './database.ts';
import type { Diagnosis, DoctorOptions } from './diagnosis.ts';
import { failed } from './failures.ts';
import { lookAtMachine } from './machine.ts';
import { lookAtNetwork } from './network.ts';
import { lookAtBucket, lookAtMail } from './outside.ts';
import { lookAtScanner } from './scanner.ts';

/**
 * Looks at what a service with these settings stands on, whether it runs or not, and yields what it sees of each part.
 * Changes nothing but a small object in a bucket, which it deletes. A look that fails for a reason of its own is a
 * diagnosis too.
 */
export async function* diagnose(options: DoctorOptions, log: Log): AsyncGenerator<Diagnosis> {
  const looks: readonly (readonly [string, () => Promise<readonly Diagnosis[]>])[] = [
    ['machine', () => lookAtMachine(options)],
    ['network', () => lookAtNetwork(options)],
    ['database', () => lookAtDatabase(options, log)],
    ['bucket', () => lookAtBucket(options)],
    ['mail', () => lookAtMail(options)],
    ['virus scanner', () => lookAtScanner(options)],
  ];
  for (const [about, look] of looks) {
    try {
      yield* await look();
    } catch (error) {
      yield failed(about, 'It could not be looked at', error, 'Look at the message; run it again with --log-level debug.');
    }
  }
}
