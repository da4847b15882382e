import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TransferError } from '#client/errors.ts';
import type { ChunkSender } from '#client/ports.ts';
import { createBatchingSender, fitsInBatch } from '#web/sending/batching-sender.ts';
import type { BrowserSource } from '#web/sending/chunk-sender.ts';
import type { Workers } from '#web/sending/workers.ts';

const storage = 'https://storage.example.com';
const requests: { readonly url: string; readonly text: Promise<string> }[] = [];
let answer: { readonly status: number; readonly text: string } | 'cut';

/** As much of a browser's as is used: it sends in two steps and gets `answer`. */
class FakeRequest {
  status = 0;
  responseText = '';
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null } = { onprogress: null };
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  #url = '';
  open(_: string, url: string): void {
    this.#url = url;
  }
  setRequestHeader(): void {}
  getResponseHeader(): null {
    return null;
  }
  abort(): void {}
  send(body: Blob): void {
    requests.push({ url: this.#url, text: body.text() });
    queueMicrotask(() => {
      for (const loaded of [body.size - 4, body.size]) this.upload.onprogress?.({ loaded });
      if (answer === 'cut') return this.onerror?.();
      this.status = answer.status;
      this.responseText = answer.text;
      this.onload?.();
    });
  }
}

const workers = {
  async pack(files: readonly File[]) {
    if (files.some(({ name }) => name === 'gone')) throw new DOMException('', 'NotFoundError');
    return { bytes: await new Blob([...files]).arrayBuffer(), blake3: files.map(({ name }) => `hash of ${name}`) };
  },
} as unknown as Workers;

const blueprintOf = (name: string) => ({ method: 'PUT', url: `${storage}/${name}?signed=1`, headers: {}, body: '' }) as const;

/** Sends files side by side, and tells what became of each and which went by itself. */
async function sent(names: readonly string[], md5 = false) {
  const single: string[] = [];
  const progress = new Map<string, number>();
  const one: ChunkSender<BrowserSource> = async ({ url }) => {
    const name = new URL(url).pathname.slice(1);
    single.push(name);
    if (name === 'gone') throw new TransferError('source_gone', 'gone');
    return { etag: 'single', blake3: 'single' };
  };
  const ports = { workers, gate: <T>(work: () => Promise<T>) => work(), url: `${storage}/-/parts`, linger: async () => undefined };
  const send = createBatchingSender({ ...ports, signal: new AbortController().signal }, one);
  const results = await Promise.allSettled(
    names.map((name) => {
      const file = new File([`bytes of ${name}`], name);
      const onBytes = (count: number) => void progress.set(name, (progress.get(name) ?? 0) + count);
      const slice = { offset: 0, length: file.size };
      return send(blueprintOf(name), { file, size: file.size }, slice, { md5, onBytes, signal: new AbortController().signal });
    }),
  );
  return { single, progress, results: results.map((result) => (result.status === 'fulfilled' ? result.value.etag : result.reason.code)) };
}

beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
});
afterEach(() => vi.unstubAllGlobals());

describe('small files', () => {
  it('go in one request, each with its own address, and hear what of them has gone out', async () => {
    answer = { status: 200, text: '{"parts":[{"etag":"1"},{"etag":"2"},{"etag":"3"}]}' };
    const { results, single, progress } = await sent(['a', 'b', 'c']);
    expect([results, single]).toEqual([['1', '2', '3'], []]);
    expect(requests.map(({ url }) => url)).toEqual([`${storage}/-/parts?for=${encodeURIComponent('/a?signed=1')}`]);
    const named = ['a', 'b', 'c'].map((name) => ({ target: `/${name}?signed=1`, length: 10 }));
    expect(await requests[0]!.text).toBe(`${JSON.stringify(named)}\nbytes of abytes of bbytes of c`);
    expect([...progress]).toEqual([
      ['a', 10],
      ['b', 10],
      ['c', 10],
    ]);
  });

  it('fail by themselves where the storage refuses one', async () => {
    answer = { status: 200, text: '{"parts":[{"etag":"1"},{"status":507,"code":"InsufficientStorage","message":"Full."}]}' };
    expect(await sent(['a', 'b'])).toMatchObject({ results: ['1', 'storage_full'], single: [] });
  });

  it('go one by one where one of them cannot be read, so that it is that one that fails', async () => {
    expect(await sent(['a', 'gone', 'c'])).toMatchObject({ results: ['single', 'source_gone', 'single'], single: ['a', 'gone', 'c'] });
    expect(requests).toEqual([]);
  });

  it.each([403, 404, 405, 413])('go one by one where such a request is answered %i', async (status) => {
    answer = { status, text: '' };
    expect(await sent(['a', 'b'])).toMatchObject({ results: ['single', 'single'], single: ['a', 'b'] });
  });

  it('go one by one where something in between answers in the storage’s place', async () => {
    answer = { status: 200, text: '{"parts":[]}' };
    expect(await sent(['a', 'b'])).toMatchObject({ results: ['single', 'single'], single: ['a', 'b'] });
  });

  it.each<[typeof answer, string]>([
    ['cut', 'cut'],
    [{ status: 503, text: '' }, 'storage_busy'],
  ])('all fail where their request does: %j', async (given, code) => {
    answer = given;
    expect(await sent(['a', 'b'])).toMatchObject({ results: [code, code], single: [] });
  });

  it('go one by one where an MD5 is wanted, as of an S3', async () => {
    expect((await sent(['a'], true)).single).toEqual(['a']);
  });

  it('are those of up to half a mebibyte', () => {
    expect([fitsInBatch(0), fitsInBatch(524_288), fitsInBatch(524_289)]).toEqual([true, true, false]);
  });
});
