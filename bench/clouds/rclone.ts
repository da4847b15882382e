import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender, Sample, Workload } from '../contender.ts';
import { bytesOf, type Material } from '../material.ts';
import { measureCommand } from '../measure/command.ts';
import { peerEnvironment } from '../peers/clients.ts';
import type { Buckets } from './buckets.ts';
import { expectContent } from './delivering.ts';

interface RcloneOptions {
  readonly program: string;
  readonly time: string;
  readonly folder: string;
  readonly material: Material;
  readonly buckets: Buckets;
  readonly signal: AbortSignal;
}

interface Rclone {
  readonly contender: Contender;
  /** Copies the large file to a place of its own, beside whatever goes on. */
  readonly copyBig: (place: string) => Promise<void>;
}

/** `rclone copy` as it comes, from a folder to the same bucket. */
export function rcloneCopy({ program, time, folder, material, buckets, signal }: RcloneOptions): Rclone {
  const common = [
    '--config=/dev/null',
    '--s3-provider=Ceph',
    `--s3-endpoint=${buckets.endpoint}`,
    `--s3-access-key-id=${buckets.accessKeyId}`,
    `--s3-secret-access-key=${buckets.secretAccessKey}`,
    '--s3-no-check-bucket',
    '--retries=1',
  ];
  const copy = (source: string, place: string, ownFolder = folder) =>
    measureCommand(
      { program, args: ['copy', source, `:s3:${buckets.bucket}/${place}`, ...common], env: peerEnvironment(ownFolder) },
      { time, folder: ownFolder, signal },
    );
  const measured = (workload: Workload, source: string) => async (): Promise<Sample> => {
    const cost = await copy(source, 'incoming');
    await expectContent(buckets, bytesOf(material, workload));
    return { ...cost, serverCpuSeconds: 0 };
  };
  return {
    contender: {
      name: 'rclone',
      server: 'Ceph',
      works: { big_up: measured('big_up', material.big), small_up: measured('small_up', material.small) },
    },
    async copyBig(place) {
      const ownFolder = join(folder, place);
      mkdirSync(ownFolder, { recursive: true });
      await copy(material.big, place, ownFolder);
    },
  };
}
