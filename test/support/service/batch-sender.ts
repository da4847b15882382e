import type { BatchCreated, BatchFinalized } from '#protocol/hosted/file-batches.ts';
import type { Sender } from '#test/support/service/sender.ts';
import { sampleTime } from '#test/support/service/sender.ts';
import type { TestAnswer, TestService } from '#test/support/service/start-service.ts';

/** The batch calls of a sender's package, as plain HTTP. */
export interface BatchSender {
  create(files: readonly Record<string, unknown>[]): Promise<TestAnswer<{ files: BatchCreated[]; message?: string }>>;
  finalize(files: readonly Record<string, unknown>[]): Promise<TestAnswer<{ files: BatchFinalized[]; message?: string }>>;
}

export function batchesOf({ call }: Pick<TestService, 'call'>, sender: Sender): BatchSender {
  const at = `/v1/packages/${sender.package.id}/files/batch`;
  return {
    create: (files) =>
      call('POST', at, {
        headers: sender.token,
        body: { files: files.map((file) => ({ kind: 'file', path: '', last_modified: sampleTime, ...file })) },
      }),
    finalize: (files) => call('POST', `${at}/finalize`, { headers: sender.token, body: { files } }),
  };
}

/** Sends a file whole by what its creation gave; the etag, quotes removed. */
export async function putWhole(created: BatchCreated, bytes: Uint8Array): Promise<string> {
  const { url, method, headers } = created.put_blueprint!;
  const answer = await fetch(url, { method, headers, body: Buffer.from(bytes) });
  if (answer.status !== 200) throw new Error(`PUT: ${answer.status} ${await answer.text()}`);
  return answer.headers.get('etag')!.replaceAll('"', '');
}

/** What a finalize call says of a file sent whole. */
export function resultOf(created: BatchCreated, etag: string, size: number, extras: Record<string, unknown> = {}) {
  return {
    file_id: created.file!.id,
    chunk_extras: [{ part_number: '1', etag }],
    file_extras: { upload_id: created.upload_id, ...extras },
    size,
  };
}
