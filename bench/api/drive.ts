import { Pool } from 'undici';
import { quantiles } from '../statistics.ts';

/** One request of a load, by its number. */
export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Figures {
  readonly perSecond: number;
  /** Milliseconds. The first request's own, before the others begin; it is not in the quantiles. */
  readonly first: number;
  readonly p50: number;
  readonly p99: number;
  /** The first answer's body. */
  readonly sample: string;
}

export interface Load {
  readonly url: string;
  readonly requests: number;
  readonly atOnce: number;
  readonly call: (n: number) => Call;
  readonly signal: AbortSignal;
}

/** Sends requests with a fixed concurrency: each connection sends the next request after its answer. Any answer but 2xx is an error. */
export async function drive({ url, requests, atOnce, call, signal }: Load): Promise<Figures> {
  const pool = new Pool(url, { connections: atOnce, pipelining: 1 });
  const times: number[] = [];
  const ask = async (n: number): Promise<string> => {
    const { method, path, headers = {}, body } = call(n);
    const begun = performance.now();
    const answer = await pool.request({
      method,
      path,
      signal,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    times.push(performance.now() - begun);
    if (answer.statusCode >= 300) throw new Error(`${method} ${path.split('?')[0]} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return text;
  };
  try {
    const sample = await ask(0);
    const first = times.splice(0)[0]!;
    let next = 1;
    const worker = async (): Promise<void> => {
      while (next < requests) await ask(next++);
    };
    const begun = performance.now();
    await Promise.all(Array.from({ length: atOnce }, worker));
    const seconds = (performance.now() - begun) / 1000;
    const [p50, p99] = quantiles(times, [0.5, 0.99]);
    return { perSecond: times.length / seconds, first, p50: p50!, p99: p99!, sample };
  } finally {
    await pool.close();
  }
}
