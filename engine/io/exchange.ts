import type { Dispatcher } from 'undici';
import { type ByteBlocks, createByteBlocks } from './byte-blocks.ts';
import { explained, netFailure } from './net-failures.ts';

interface Exchange {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** The answer is longer than allowed. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
  readonly code = 'ANSWER_TOO_LONG';
}

/**
 * One request and its whole answer of at most `limit` bytes. Rejects with undici's or the system's error if there is no
 * answer, with `AnswerTooLong`, or with the signal's reason. Uses `dispatch`, which costs half of `request`'s CPU.
 */
export function exchange(dispatcher: Dispatcher, { url, method, headers, body, signal }: Exchange, limit: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const { origin, pathname, search } = new URL(url);
    let controller: Dispatcher.DispatchController | null = null;
    let status = 0;
    let fields: Record<string, string> = {};
    let first: Buffer | null = null;
    let more: ByteBlocks | null = null;
    let length = 0;
    const onAbort = (): void => controller?.abort(signal?.reason);
    const settled = (): void => signal?.removeEventListener('abort', onAbort);
    signal?.addEventListener('abort', onAbort, { once: true });

    dispatcher.dispatch(
      {
        origin,
        path: pathname + search,
        method: method as Dispatcher.HttpMethod,
        headers: headers as Record<string, string>,
        body: body as string | Buffer | null,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (signal?.aborted) started.abort(signal.reason);
        },
        onResponseStart(_, code, received) {
          status = code;
          fields = flat(received);
          if (Number(fields['content-length'] ?? 0) > limit)
            controller?.abort(new AnswerTooLong(`the answer is longer than ${limit} bytes`));
        },
        onResponseData(_, chunk) {
          length += chunk.length;
          if (length > limit) controller?.abort(new AnswerTooLong(`the answer is longer than ${limit} bytes`));
          else if (!first) first = chunk;
          else {
            more ??= createByteBlocks();
            more.append(chunk);
          }
        },
        onResponseEnd() {
          settled();
          resolve({ status, headers: fields, body: whole(first, more) });
        },
        onResponseError(_, error) {
          settled();
          reject(signal?.aborted ? signal.reason : explained(error));
        },
      },
    );
  });
}

function whole(first: Buffer | null, more: ByteBlocks | null): Buffer {
  if (!first) return Buffer.alloc(0);
  return more ? Buffer.concat([first, ...more.taken()]) : first;
}

/** The answer of the storage; throws the signal's reason, or the meaning of a missing answer for the transfer (`netFailure`). */
export async function answered(signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    signal.throwIfAborted();
    throw netFailure(error);
  }
}

export function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}
