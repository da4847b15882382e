import { setTimeout as sleep } from 'node:timers/promises';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import type { CloudTransfer } from '#protocol/hosted/transfers.ts';
import type { Contender, Run, Sample } from '../contender.ts';
import type { Longshore } from '../longshore.ts';
import { bytesOf, type Material } from '../material.ts';
import { cpuSecondsOf } from '../measure/processes.ts';
import type { Buckets } from './buckets.ts';
import { peakOfService, resetServicePeak } from './service-memory.ts';

interface DeliveringOptions {
  readonly longshore: Longshore;
  readonly material: Material;
  readonly buckets: Buckets;
  readonly signal: AbortSignal;
}

/** Rarely, since each look costs the service some milliseconds of CPU, which would be counted as the delivery's. */
const lookMilliseconds = 200;

export interface Delivering {
  readonly contender: Contender;
  /** Delivers the large file once more, beside whatever goes on. */
  readonly deliverBig: () => Promise<void>;
  /** A call of the hosted API. */
  readonly readPackage: () => Promise<unknown>;
}

/** Longshore's service, asked over HTTP to deliver packages that it holds. Its CPU is counted with its PostgreSQL's. */
export async function deliveringLongshore({ longshore, material, buckets, signal }: DeliveringOptions): Promise<Delivering> {
  const { url: base, pid } = longshore.service;
  const call = async <T>(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<T> => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const packageOf = async (path: string): Promise<LinkInfo> => {
    const link = new URL((await longshore.upload(path)).url);
    return call<LinkInfo>('GET', `/v1/links/${link.pathname.split('/').at(-1)}${link.search}`);
  };
  const big = await packageOf(material.big);
  const small = await packageOf(material.small);

  const single_use = {
    provider: 'minio_s3',
    authorization: {
      client_id: buckets.accessKeyId,
      client_secret: buckets.secretAccessKey,
      destination: buckets.bucket,
      endpoint: buckets.endpoint,
      region: 'default',
      force_s3_path_style: 'true',
    },
    target_directory_id: 'incoming/{package}',
  };

  async function deliver({ package_id, package_token }: LinkInfo): Promise<void> {
    const headers = { 'x-package-token': package_token };
    let now = await call<CloudTransfer>('POST', `/v1/packages/${package_id}/transfer`, headers, { single_use });
    while (now.state !== 'complete') {
      if (now.state === 'error' || now.state === 'cancelled') throw new Error(now.error);
      await sleep(lookMilliseconds, undefined, { signal });
      now = await call<CloudTransfer>('GET', `/v1/transfers/${now.id}`, { 'x-transfer-token': now.access_token });
    }
  }

  const measured =
    (info: LinkInfo, workload: string) =>
    async (_run: Run): Promise<Sample> => {
      const cpuBefore = cpuSecondsOf(pid);
      resetServicePeak(pid);
      const started = performance.now();
      await deliver(info);
      const seconds = (performance.now() - started) / 1_000;
      const sample = { seconds, cpuSeconds: cpuSecondsOf(pid) - cpuBefore, serverCpuSeconds: 0, peakBytes: peakOfService(pid) };
      await expectContent(buckets, bytesOf(material, workload));
      return sample;
    };
  // As it is for people: the service and the bucket have been in use for a while.
  for (const info of [small, big]) {
    await deliver(info);
    await buckets.empty();
  }
  return {
    contender: { name: 'Longshore', server: 'Ceph', works: { big_up: measured(big, 'big_up'), small_up: measured(small, 'small_up') } },
    deliverBig: () => deliver(big),
    readPackage: () => call('GET', `/v1/packages/${big.package_id}`, { 'x-package-token': big.package_token }),
  };
}

export async function expectContent(buckets: Buckets, expected: number): Promise<void> {
  const { bytes } = await buckets.content();
  await buckets.empty();
  if (bytes !== expected) throw new Error(`${bytes} of ${expected} bytes have arrived.`);
}
