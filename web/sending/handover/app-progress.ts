import { type CallableRoutes, createClientOf } from '#client/calls.ts';
import type { Fetcher } from '#client/ports.ts';
import type { Handover } from '#protocol/hosted/handovers.ts';
import { createSpeed } from '../../common/speed.ts';
import type { Item } from '../item.ts';

const routes = {
  listUploadedChunks: { method: 'GET', path: '/v1/packages/{package_id}/files/{file_id}/chunks', reply: { status: 200 } },
} as const satisfies CallableRoutes<'listUploadedChunks'>;

/** Uploads that are asked about at once. A page has few more open, and each answer is a look into the storage. */
const maxUploads = 8;

/** How far an app is with what a page has handed over, in files and bytes. */
export interface AppProgress {
  readonly files: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly bytesPerSecond: number;
  readonly secondsLeft: number | null;
}

interface AppProgressPorts {
  readonly baseUrl: string;
  readonly fetcher: Fetcher;
  readonly token: string;
  readonly packageId: string;
  readonly items: readonly Item[];
  /** In milliseconds. */
  readonly now: () => number;
}

/**
 * Follows an app. The service counts whole files; of those that the page had open the storage's confirmed chunks are
 * counted too, so that a large one moves. What was counted once stays so: between two answers a file may be neither open
 * nor finalized for the page.
 */
export function createAppProgress({ baseUrl, fetcher, token, packageId, items, now }: AppProgressPorts) {
  const client = createClientOf<keyof typeof routes>(routes, { baseUrl, fetcher, credential: { kind: 'package', token } });
  const speed = createSpeed();
  const own = items.filter(({ state, kind }) => state !== 'left_out' && kind === 'file');
  const totalBytes = own.reduce((sum, { size }) => sum + size, 0);
  const open = new Map(
    own
      .flatMap(({ facts }) => (facts.state === 'open' ? [[facts.upload.fileId, facts.upload.uploadId] as const] : []))
      .slice(0, maxUploads),
  );
  let most = { files: 0, bytes: own.reduce((sum, { sent }) => sum + sent, 0) };

  const confirmed = async (file_id: string, upload_id: string): Promise<number> => {
    try {
      const params = { package_id: packageId, file_id };
      const chunks = await client.call('listUploadedChunks', { params, query: { upload_id } });
      return chunks.reduce((sum, { size }) => sum + size, 0);
    } catch {
      // Finalized, or begun anew by the app: the service counts it when it is whole.
      return 0;
    }
  };

  return {
    /** After an answer of the service: a file that is finalized meanwhile is not counted twice. */
    async note({ files, bytes }: Handover): Promise<AppProgress> {
      const parts = await Promise.all([...open].map(([fileId, uploadId]) => confirmed(fileId, uploadId)));
      const seen = bytes.finalized + parts.reduce((sum, part) => sum + part, 0);
      most = { files: Math.max(most.files, files.finalized), bytes: Math.min(totalBytes, Math.max(most.bytes, seen)) };
      speed.note(most.bytes, now());
      const left = totalBytes - most.bytes;
      return { ...most, totalFiles: own.length, totalBytes, bytesPerSecond: speed.perSecond(), secondsLeft: speed.secondsLeft(left) };
    },
  };
}
