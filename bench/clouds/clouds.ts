import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bringRgw, hasRgw } from '#test/support/storage/rgw.ts';
import { startLongshore } from '../longshore.ts';
import { makeMaterial, type Sizes } from '../material.ts';
import type { Programs } from '../peers/programs.ts';
import { cloudsReport } from '../report/clouds.ts';
import { machineFacts } from '../report/machine.ts';
import { measureRounds } from '../rounds.ts';
import { startBuckets } from './buckets.ts';
import { deliveringLongshore, expectContent } from './delivering.ts';
import { measureFourAtOnce } from './four-at-once.ts';
import { rcloneCopy } from './rclone.ts';

interface CloudsOptions {
  /** A fresh folder. */
  readonly folder: string;
  readonly sizes: Sizes;
  readonly rounds: number;
  readonly minutes: number;
  readonly programs: Programs;
  readonly profile: string | null;
  readonly loadBefore: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

// Half of the places are for those who bring their own credentials.
const serviceArgs = ['--allow-private-connections', 'yes', '--transfers', '8'] as const;

export interface CloudsOutcome {
  readonly text: string;
  readonly whole: boolean;
}

/** Deliveries from the service's storage to an S3, beside rclone that copies the same files from a folder to the same S3. */
export async function cloudsBench(options: CloudsOptions): Promise<CloudsOutcome> {
  const { folder, sizes, rounds, minutes, programs, profile, loadBefore, signal, say } = options;
  const missing = hasRgw() ? null : bringRgw(say);
  if (missing !== null) throw new Error(missing);
  const home = join(folder, 'longshore');
  mkdirSync(home);
  const material = makeMaterial(folder, sizes);
  const buckets = await startBuckets();
  try {
    const longshore = await startLongshore({ folder: home, profile, serviceArgs, signal });
    try {
      const { contender, deliverBig, readPackage } = await deliveringLongshore({ longshore, material, buckets, signal });
      const { rclone: program, time } = programs;
      const rclone = program && time ? rcloneCopy({ program, time, folder, material, buckets, signal }) : null;
      say('Four deliveries at once.');
      const fourAtOnce = await measureFourAtOnce({
        pid: longshore.service.pid,
        deliver: deliverBig,
        copy: rclone?.copyBig ?? null,
        settle: () => expectContent(buckets, 4 * sizes.bigBytes),
        call: readPackage,
        signal,
      });
      const contenders = [contender, ...(rclone ? [rclone.contender] : [])];
      const workloads = ['big_up', 'small_up'] as const;
      const series = await measureRounds({ contenders, material, workloads, rounds, minutes, folder, signal, say });
      const machine = machineFacts(programs, loadBefore);
      return { text: cloudsReport({ series, sizes, machine, fourAtOnce }), whole: series.every(({ failed }) => failed === null) };
    } finally {
      await longshore.stop();
    }
  } finally {
    await buckets.close();
  }
}
