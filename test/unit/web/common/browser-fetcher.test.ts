import { expect, it } from 'vitest';
import { browserFetcher } from '#web/common/browser-fetcher.ts';

it('gives the text of an answer while it comes', async () => {
  let send: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = controller;
    },
  });
  const fetcher = browserFetcher(async () => new Response(body));
  const first = Promise.withResolvers<string>();
  const pieces: string[] = [];
  const reply = fetcher({
    method: 'GET',
    url: 'http://127.0.0.1/',
    headers: {},
    onText(piece) {
      pieces.push(piece);
      first.resolve(piece);
    },
  });
  send?.enqueue(new TextEncoder().encode('one '));
  expect(await first.promise).toBe('one ');
  send?.enqueue(new TextEncoder().encode('two'));
  send?.close();
  expect((await reply).text).toBe('one two');
  expect(pieces.join('')).toBe('one two');
});
