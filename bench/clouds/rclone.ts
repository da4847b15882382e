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

/** `rclone copy` as it comes, from a folder to the same bucket. */
export function rcloneCopy({ program, time, folder, material, buckets, signal }: RcloneOptions): Contender {
  const common = [
    '--config=/dev/null',
    '--s3-provider=Ceph',
    `--s3-endpoint=${buckets.endpoint}`,
    `--s3-access-key-id=${buckets.accessKeyId}`,
    `--s3-secret-access-key=${buckets.secretAccessKey}`,
    '--s3-no-check-bucket',
    '--retries=1',
  ];
  const copy = (workload: Workload, source: string) => async (): Promise<Sample> => {
    const args = ['copy', source, `:s3:${buckets.bucket}/incoming`, ...common];
    const cost = await measureCommand({ program, args, env: peerEnvironment(folder) }, { time, folder, signal });
    await expectContent(buckets, bytesOf(material, workload));
    return { ...cost, serverCpuSeconds: 0 };
  };
  return { name: 'rclone', server: 'Ceph', works: { big_up: copy('big_up', material.big), small_up: copy('small_up', material.small) } };
}
