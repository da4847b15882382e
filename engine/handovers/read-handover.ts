import { Value } from 'typebox/value';
import { createHostedClient } from '#client/hosted.ts';
import { parseDeepLink } from '#protocol/deep-link.ts';
import { ApiError } from '#protocol/errors.ts';
import { type HandoverFile, OpenedHandover } from '#protocol/hosted/handovers.ts';
import { limits } from '#protocol/limits.ts';
import type { JobPorts } from '../transfer/job.ts';

export interface HandoverLink {
  readonly service: string;
  readonly code: string;
}

/** What a browser hands over. The texts and files are the word of a page: nothing of them is checked yet. */
export interface ReadHandover extends Omit<OpenedHandover, 'part' | 'next'> {
  readonly files: readonly HandoverFile[];
  readonly fileIds: readonly string[];
}

/** The address that the browser shows. `invalid_request`. */
export function parseHandoverLink(text: string): HandoverLink {
  const parsed = parseDeepLink(text.trim());
  if ('link' in parsed && parsed.link.kind === 'continue') return parsed.link;
  const why = 'link' in parsed ? 'it is for something else' : 'name' in parsed ? `${parsed.fault}: ${parsed.name}` : parsed.fault;
  throw new ApiError('invalid_request', { detail: `The field link is no longshore://continue address (${why}).` });
}

/** Asks the service for all parts (contract/handovers.md §3). It uses nothing up. Errors are those of the service. */
export async function readHandover(
  { transport }: Pick<JobPorts, 'transport'>,
  { service, code }: HandoverLink,
  signal?: AbortSignal,
): Promise<ReadHandover> {
  const client = createHostedClient({ baseUrl: service, fetcher: transport.fetcher });
  const files = new Map<string, HandoverFile>();
  const fileIds: string[] = [];
  for (let number = 0; ; ) {
    const opened = await client.call('openHandover', { body: { code, part: number }, ...(signal ? { signal } : {}) });
    if (!Value.Check(OpenedHandover, opened)) {
      const [first] = Value.Errors(OpenedHandover, opened);
      throw new ApiError('service_refused', { status: 200, detail: `${first?.instancePath ?? ''} ${first?.message ?? 'is no handover'}.` });
    }
    const { part, next, ...about } = opened;
    for (const file of part.files ?? []) {
      const path = `${file.path}/${file.name}`;
      files.set(path, withChunksOf(files.get(path), file));
    }
    fileIds.push(...(part.file_ids ?? []));
    if (next === null || next <= number || next >= limits.handoverParts) return { ...about, files: [...files.values()], fileIds };
    number = next;
  }
}

/** A file with many chunks stands in several parts. */
function withChunksOf(before: HandoverFile | undefined, file: HandoverFile): HandoverFile {
  return before?.chunks ? { ...file, chunks: [...before.chunks, ...(file.chunks ?? [])] } : file;
}
