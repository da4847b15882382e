import { otlpTraces } from './otlp-json.ts';
import type { OtlpTarget } from './otlp-settings.ts';
import type { FinishedSpan, SpanAttributes } from './span.ts';

export interface SpanExporter {
  /** Takes a span in; never waits. */
  add(span: FinishedSpan): void;
  /** Since the start. Dropped: there was no room, or the collector did not take them. */
  readonly counts: { readonly exported: number; readonly dropped: number };
  /** Sends what is there, for at most two seconds. */
  close(): Promise<void>;
}

interface ExporterOptions extends Pick<OtlpTarget, 'url' | 'headers'> {
  readonly resource: SpanAttributes;
  /** Called at most once a minute while spans cannot be sent. `reason` has no secret. */
  readonly onTrouble: (facts: { readonly reason: string; readonly dropped: number }) => void;
  readonly post?: Post;
  /** Calls back once after this time, without keeping the process alive. Returns what cancels it. */
  readonly after?: (milliseconds: number, callback: () => void) => () => void;
  readonly now?: () => number;
}

interface PostAnswer {
  readonly status: number;
  /** Seconds. */
  readonly retryAfter: number | null;
  readonly text: string;
}

/** Rejects without an answer. */
export type Post = (url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) => Promise<PostAnswer>;

/** Spans that wait, besides a batch that is being sent: some 2 MB. */
export const maxWaiting = 4_096;
export const maxBatch = 512;
const delayMilliseconds = 2_000;
const timeoutMilliseconds = 10_000;
const closeMilliseconds = 2_000;
const retry = { first: 1_000, most: 30_000 } as const;
const reportMilliseconds = 60_000;
/** What OTLP says may be sent again. */
const passing = new Set([429, 502, 503, 504]);

const afterUnref = (milliseconds: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, milliseconds).unref();
  return () => clearTimeout(timer);
};

/** Sends spans by OTLP/HTTP in JSON, in batches, from a queue that never grows over its limit: then new spans are dropped. */
export function createOtlpExporter({
  url,
  headers,
  resource,
  onTrouble,
  post = postByFetch,
  after = afterUnref,
  now = () => performance.now(),
}: ExporterOptions): SpanExporter {
  const waiting: FinishedSpan[] = [];
  const counts = { exported: 0, dropped: 0 };
  const ended = new AbortController();
  let batch: FinishedSpan[] = [];
  let sending: Promise<void> | null = null;
  let timer: { readonly at: number; readonly cancel: () => void } | null = null;
  let pause = 0;
  let notBefore = Number.NEGATIVE_INFINITY;
  let closing = false;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let droppedBefore = 0;

  const schedule = (milliseconds: number): void => {
    const at = now() + milliseconds;
    if (timer && timer.at <= at) return;
    timer?.cancel();
    const cancel = after(milliseconds, () => {
      timer = null;
      flush();
    });
    timer = { at, cancel };
  };

  const flush = (): void => {
    if (sending || closing) return;
    const early = notBefore - now();
    if (early > 0) {
      schedule(early);
      return;
    }
    if (batch.length === 0) batch = waiting.splice(0, maxBatch);
    if (batch.length === 0) return;
    sending = send().then((wait) => {
      sending = null;
      notBefore = now() + wait;
      if (batch.length > 0 || waiting.length >= maxBatch) flush();
      else if (waiting.length > 0) schedule(delayMilliseconds);
    });
  };

  /** Sends the batch once; gives the milliseconds to wait before the collector is asked again. */
  async function send(): Promise<number> {
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(timeoutMilliseconds)]);
    let answer: PostAnswer | null = null;
    let reason = '';
    try {
      answer = await post(url, { ...headers, 'content-type': 'application/json' }, JSON.stringify(otlpTraces(batch, resource)), signal);
      reason = `the collector answered ${answer.status}`;
    } catch (error) {
      reason = reasonOf(error);
    }
    if (answer !== null && answer.status >= 200 && answer.status <= 299) {
      const refused = Math.min(rejectedIn(answer.text), batch.length);
      counts.exported += batch.length - refused;
      counts.dropped += refused;
      if (refused > 0) tell('the collector refused some');
      batch = [];
      pause = 0;
      return 0;
    }
    if (answer !== null && !passing.has(answer.status)) {
      counts.dropped += batch.length;
      batch = [];
    }
    tell(reason);
    pause = Math.min(retry.most, Math.max(retry.first, pause * 2));
    return Math.min(retry.most, Math.max(pause, (answer?.retryAfter ?? 0) * 1_000));
  }

  function tell(reason: string): void {
    if (now() - reportedAt < reportMilliseconds) return;
    reportedAt = now();
    onTrouble({ reason, dropped: counts.dropped - droppedBefore });
    droppedBefore = counts.dropped;
  }

  return {
    counts,
    add(span) {
      if (waiting.length >= maxWaiting) {
        counts.dropped += 1;
        return;
      }
      waiting.push(span);
      if (waiting.length >= maxBatch && pause === 0) flush();
      else schedule(delayMilliseconds);
    },
    async close() {
      closing = true;
      timer?.cancel();
      const enough = new Promise<void>((resolve) => {
        setTimeout(resolve, closeMilliseconds).unref();
      });
      const all = async (): Promise<void> => {
        await sending;
        let before = Number.POSITIVE_INFINITY;
        while (waiting.length + batch.length < before) {
          before = waiting.length + batch.length;
          if (before === 0) return;
          if (batch.length === 0) batch = waiting.splice(0, maxBatch);
          await send();
        }
      };
      await Promise.race([all(), enough]);
      ended.abort();
      counts.dropped += waiting.length + batch.length;
      waiting.length = 0;
      batch = [];
    },
  };
}

/** A code of the system or of the client, never its sentence: that may contain the address. */
function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
    if (cause.name === 'TimeoutError') return 'no answer in time';
  }
  return 'no answer';
}

function rejectedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: string | number } };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}

const longestAnswer = 64 * 1024;

const postByFetch: Post = async (url, headers, body, signal) => {
  const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  let text = '';
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.length > longestAnswer) break;
  }
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return { status: answer.status, retryAfter: Number.isFinite(seconds) ? seconds : null, text };
};
