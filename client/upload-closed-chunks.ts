import { TransferError } from './errors.ts';
import type { ByteSource } from './ports.ts';
import { sendChunks } from './upload-chunks.ts';
import { countConfirmed, openUpload, withRestarts } from './upload-open.ts';
import { takeOverConfirmed } from './upload-resume.ts';
import type { UploadJob, UploadPorts } from './upload-types.ts';

interface ClosedChunksOptions {
  /**
   * The first call of this process for a file whose upload is open: the storage is asked for chunks that it has
   * confirmed and that are not noted.
   */
  readonly asksStorage: boolean;
}

/**
 * Sends the chunks of a file that is still being written to, as far as they are whole. The size of `job.source` is where
 * the last of them ends. The file is created without a size (contract/files-and-blueprints.md §2.4) and stays open:
 * `uploadFile` with the journal's facts sends the rest and finalizes it. Chunks of an upload that is gone are sent again.
 * Failures are like those of `uploadFile`.
 */
export function sendClosedChunks<S extends ByteSource>(
  ports: UploadPorts<S>,
  job: UploadJob<S>,
  { asksStorage }: ClosedChunksOptions,
): Promise<void> {
  return withRestarts({ ...job, file: { ...job.file, unknownSize: true } }, async (current) => {
    const { facts } = current;
    if (facts.state === 'open' && !facts.upload.unknownSize) {
      throw new TransferError('upload_gone', 'The upload of this file was begun with a size that it does not have any more.');
    }
    const opened = await openUpload(ports, current);
    if (opened.state === 'done') throw new TransferError('wrong_answer', 'The service has finalized a file that is still being sent.');
    const { upload, isFresh } = opened;
    if (!isFresh) {
      countConfirmed(current, upload);
      if (asksStorage) await takeOverConfirmed(ports, current, upload);
    }
    await sendChunks(ports, current, upload);
  });
}
