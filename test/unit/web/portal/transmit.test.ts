import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { remedyFor } from '#client/faults.ts';
import { createStallTimeouts } from '#client/stall-timeouts.ts';
import { transmit } from '#web/sending/transmit.ts';

/** A browser's request that does what the test makes it do. */
class FakeRequest {
  static last: FakeRequest;
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null } = { onprogress: null };
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  status = 200;
  responseText = '';
  aborted = false;
  constructor() {
    FakeRequest.last = this;
  }
  open(): void {}
  setRequestHeader(): void {}
  getResponseHeader = (): string => '"e"';
  abort(): void {
    this.aborted = true;
  }
  send(): void {}
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const size = 1_000;
const stallTimeouts = createStallTimeouts();
function send(bytes = size) {
  const moved: number[] = [];
  const outcome: { state: string; error?: unknown } = { state: 'under way' };
  transmit({
    method: 'PUT',
    url: 'https://storage.example.com/part',
    headers: {},
    body: new Uint8Array(bytes),
    onBytes: (count) => void moved.push(count),
    signal: new AbortController().signal,
    stallTimeouts,
  }).then(
    () => {
      outcome.state = 'taken';
    },
    (error: { code?: string }) => {
      outcome.state = error.code ?? 'failed';
      outcome.error = error;
    },
  );
  return { request: FakeRequest.last, outcome };
}
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

it('gives up a request on which no byte has moved for 15 s, and waits longer for the third', async () => {
  const { request, outcome } = send();
  await seconds(14);
  expect(outcome.state).toBe('under way');
  await seconds(3);
  expect([outcome.state, request.aborted]).toEqual(['stalled', true]);
  send();
  await seconds(17);
  const next = send();
  await seconds(29);
  expect(next.outcome.state).toBe('under way');
  next.request.onload!();
  await seconds(0);
  expect(next.outcome.state).toBe('taken');
});

it('takes a slow line for no stall', async () => {
  const { request, outcome } = send();
  for (let loaded = 1; loaded <= 20; loaded++) {
    await seconds(14);
    request.upload.onprogress!({ loaded });
  }
  expect(outcome.state).toBe('under way');
  await seconds(17);
  expect(outcome.state).toBe('stalled');
});

it('waits for the answer as long again as the sending took', async () => {
  const { request, outcome } = send();
  for (let loaded = 100; loaded <= size; loaded += 100) {
    await seconds(10);
    request.upload.onprogress!({ loaded });
  }
  await seconds(100);
  expect(outcome.state).toBe('under way');
  request.onload!();
  await seconds(0);
  expect(outcome.state).toBe('taken');
});

const html = '<html><body>Sign in to Harbour Wi-Fi</body></html>';
const xml = (code: string): string => `<Error><Code>${code}</Code><Message>So it is.</Message></Error>`;
it.each([
  ['a redirect of somebody in between', 302, '', 'retry_soon'],
  ['a bare 400', 400, '', 'retry_soon'],
  ['a stalled request, as S3 says it', 400, xml('RequestTimeout'), 'retry_soon'],
  ['a stalled request', 408, '', 'retry_soon'],
  ['a gateway without its storage', 404, html, 'retry_soon'],
  ['a busy storage', 503, xml('SlowDown'), 'retry_soon'],
  ['a full storage', 507, xml('InsufficientStorage'), 'retry_after'],
  ['a part that was damaged on its way', 400, xml('BadDigest'), 'restart_chunk'],
  ['an upload that is gone', 404, xml('NoSuchUpload'), 'restart_file'],
  ['what will not be otherwise', 413, html, 'never'],
])('sorts %s', async (_, status, text, kind) => {
  const { request, outcome } = send();
  Object.assign(request, { status, responseText: text });
  request.onload!();
  await seconds(0);
  expect(remedyFor(outcome.error).kind).toBe(kind);
});
