import { expandBlueprints } from '#client/blueprint-template.ts';
import { createHostedClient } from '#client/hosted.ts';
import { parseUploadId } from '#client/upload-id.ts';
import { plainFetcher } from '#main/plain-fetcher.ts';
import type { Blueprint } from '#protocol/schema.ts';
import type { PagesService } from './service.ts';

const chunkSize = 32 * 1024 * 1024;
/** As many as the page has. */
const atOnce = 5;

/** The addresses of a file's chunks, as the page gets them. */
export async function chunkAddresses({ url, portalId }: PagesService, size: number): Promise<readonly Blueprint[]> {
  const client = createHostedClient({ baseUrl: url, fetcher: plainFetcher });
  const made = await client.call('createPortalPackage', {
    params: { portal_id: portalId },
    body: { name: 'Bench', description: '', sender: 'mia@harbour.example' },
  });
  const api = client.as({ kind: 'package', token: made.access_token });
  const params = { package_id: made.id };
  const body = { kind: 'file', name: 'big.bin', path: '', size, chunk_size: chunkSize, last_modified: new Date().toISOString() } as const;
  const { file, create_blueprint: create } = await api.call('createFile', { params, body });
  const begun = await fetch(create!.url, { method: create!.method });
  const count = Math.max(1, Math.ceil(size / chunkSize));
  const answer = await api.call('createChunkBlueprints', {
    params: { ...params, file_id: file.id },
    query: { start: 0, count },
    body: { upload_id: parseUploadId(await begun.text()) },
  });
  return expandBlueprints(answer, count);
}

/** Runs in the browser: PUTs the chunks of the file that the input holds, and gives the seconds that took. */
export async function putAll({ urls, size, concurrency }: { urls: readonly string[]; size: number; concurrency: number }): Promise<number> {
  const file = document.querySelector<HTMLInputElement>('#bench-file')!.files![0]!;
  const waiting = urls.entries();
  const started = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const [index, url] of waiting) {
        const answer = await fetch(url, { method: 'PUT', body: file.slice(index * size, (index + 1) * size), credentials: 'omit' });
        if (!answer.ok) throw new Error(`The storage answered ${answer.status}.`);
      }
    }),
  );
  return (performance.now() - started) / 1_000;
}

export const bareWork = (addresses: readonly Blueprint[]) => ({
  urls: addresses.map(({ url }) => url),
  size: chunkSize,
  concurrency: atOnce,
});
