import { connect, type Socket } from 'node:net';
import { TransferError } from '#client/errors.ts';
import type { Slice } from '#client/ports.ts';
import type { StallTimeouts, Wait } from '#client/stall-timeouts.ts';
import { storageRefusal } from '#client/storage-answers.ts';
import { rangeOf } from '#protocol/storage/ranges.ts';
import { compares } from '#protocol/storage/requests.ts';
import { type BufferPool, stride } from '../buffers.ts';
import { Stalled } from '../net-failures.ts';
import { checkRangeAnswer } from '../range-answer.ts';
import type { Flow, RangeWriter } from '../range-writer.ts';

/** A request, and the one answer to it that is supported. */
export interface RawExchange {
  readonly method: 'GET' | 'POST';
  /** Beside those of every request. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** ASCII alone. */
  readonly body: string;
  /** Bytes of the answer's body; `null` if it is another answer. `refused`: its body says why. */
  readonly lengthOf: (status: number, headers: Readonly<Record<string, string>>) => number | 'refused' | null;
}

/** Takes the answer's body. */
export type RawSink = Pick<RangeWriter, 'mostAtOnce' | 'enough' | 'arrived' | 'add'>;

interface RawHttpOptions {
  readonly buffers: BufferPool;
  /** Milliseconds, as in `TransportOptions`. */
  readonly connectMs: number;
  readonly stallTimeouts: StallTimeouts;
}

/**
 * Bodies by plain HTTP, read by the kernel straight into the buffers that go to the disk: half the CPU of a parser in
 * between, and no garbage. It supports one answer of known length. For anything else except a server failure it falls
 * back: the ordinary client sends the request again, so that must change nothing. TLS gains nothing here.
 */
export interface RawHttp {
  fits(url: URL): boolean;
  /** True if all bytes were passed to the sink; false if none were, and the ordinary client must be used. */
  receive(url: URL, exchange: RawExchange, sink: RawSink, attach: (flow: Flow) => void): Promise<boolean>;
  close(): void;
}

/** The exchange for a range of an object. */
export const rangeExchange = (slice: Slice): RawExchange => ({
  method: 'GET',
  headers: { range: rangeOf(slice.offset, slice.length), ...compares },
  body: '',
  lengthOf: (status, headers) => (status === 206 && !checkRangeAnswer(status, headers, slice) ? slice.length : null),
});

/** Milliseconds that an idle connection is kept for the next range: less than the idle timeout of any usual server. */
const idleMs = 3_000;
const longestHead = 16 * 1024;
/** A buffer with less free space than this is written as it is: filling it would cost more calls than it saves. */
const leastRoom = 64 * 1024;
/**
 * Strides that a connection may read before other work gets its turn: it would not stop by itself while more bytes are
 * available.
 */
const stridesATurn = 4;

/** An answer that this client does not support. */
class Unfit extends Error {
  override readonly name = 'Unfit';
}

export function createRawHttp({ buffers, connectMs, stallTimeouts }: RawHttpOptions): RawHttp {
  const idle = new Map<string, Connection[]>();
  const all = new Set<Connection>();
  let closed = false;

  function take(url: URL): Connection {
    const reused = idle.get(url.host)?.pop();
    if (reused) return reused;
    const connection = createConnection(url, buffers, connectMs);
    all.add(connection);
    connection.socket.once('close', () => {
      all.delete(connection);
      const waiting = idle.get(url.host)?.filter((one) => one !== connection) ?? [];
      if (waiting.length > 0) idle.set(url.host, waiting);
      else idle.delete(url.host);
    });
    return connection;
  }

  return {
    fits: (url) => url.protocol === 'http:' && !closed,
    async receive(url, exchange, sink, attach) {
      const connection = take(url);
      attach(connection.flow);
      const wait = stallTimeouts.waitFor({ method: exchange.method, url, bytes: exchange.body.length });
      try {
        const reusable = await connection.run(url, exchange, sink, wait);
        if (reusable && !closed) {
          connection.socket.setTimeout(idleMs);
          idle.set(url.host, [...(idle.get(url.host) ?? []), connection]);
        } else connection.socket.destroy();
        return true;
      } catch (error) {
        connection.socket.destroy();
        if (error instanceof Unfit) return false;
        if (error instanceof Stalled) wait.stalled();
        throw error;
      }
    },
    close() {
      closed = true;
      for (const connection of all) connection.socket.destroy();
    },
  };
}

interface Connection {
  readonly socket: Socket;
  readonly flow: Flow;
  /** Receives one answer; returns whether the connection can be reused. */
  run(url: URL, exchange: RawExchange, sink: RawSink, wait: Wait): Promise<boolean>;
}

/** The buffer for the next bytes. One read must not exceed the rate limit. */
function roomIn({ buffer, filled, job }: Phase & { readonly name: 'body' }): Buffer {
  const most = job.sink.mostAtOnce();
  return most < buffer.length - filled ? buffer.subarray(filled, filled + most) : buffer.subarray(filled);
}

type Phase =
  | { readonly name: 'idle' }
  | { readonly name: 'head'; readonly job: Job }
  | { readonly name: 'body'; readonly job: Job; readonly keepAlive: boolean; buffer: Buffer; filled: number; left: number };

interface Job {
  readonly exchange: RawExchange;
  readonly sink: RawSink;
  readonly wait: Wait;
  readonly began: number;
  readonly end: (reusable: boolean) => void;
  readonly fail: (error: unknown) => void;
}

function createConnection(url: URL, buffers: BufferPool, connectMs: number): Connection {
  const head = Buffer.allocUnsafe(longestHead);
  let headFilled = 0;
  let phase: Phase = { name: 'idle' };
  let paused = false;
  let strides = 0;
  let yielding = false;

  const socket = connect({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 80),
    noDelay: true,
    onread: {
      buffer: () => (phase.name === 'body' ? roomIn(phase) : head.subarray(headFilled)),
      callback: (count: number) => {
        try {
          onRead(count);
        } catch (error) {
          stop(error);
        }
        return !paused && !yielding;
      },
    },
  });
  socket.setTimeout(connectMs);
  socket.on('timeout', () => {
    // While we wait for our own disk, the remote side is not to blame.
    if (paused) return;
    stop(phase.name === 'idle' ? null : new Stalled('no byte came for too long'));
  });
  socket.on('error', (error) => leave(error));
  socket.on('close', () => leave(new TransferError('cut', 'The connection to the storage broke.')));

  /** Ends the current range, once; before the first byte of the body, the ordinary client may succeed. */
  function leave(error: unknown): void {
    const left = phase;
    phase = { name: 'idle' };
    if (left.name === 'idle') return;
    if (left.name === 'body') buffers.give(left.buffer);
    left.job.fail(
      left.name === 'head' && !(error instanceof Stalled) && !given.has(error) ? new Unfit('no answer', { cause: error }) : error,
    );
  }

  /** Our own reasons to stop: these are not failures of the connection. */
  const given = new Set<unknown>();
  function stop(reason: unknown): void {
    given.add(reason);
    leave(reason);
    socket.destroy();
  }

  function onRead(count: number): void {
    if (phase.name === 'idle') throw new Unfit('bytes that nobody asked for');
    if (phase.name === 'head') {
      headFilled += count;
      beginBody(phase.job);
    } else {
      phase.filled += count;
      phase.left -= count;
      takeIn(phase.job, count);
    }
  }

  function beginBody(job: Job): void {
    const length = head.subarray(0, headFilled).indexOf('\r\n\r\n');
    if (length < 0) {
      if (headFilled === longestHead) throw new Unfit('a head without end');
      return;
    }
    const { status, headers } = parseResponseHead(head.toString('latin1', 0, length));
    const known = headers['content-length'] !== undefined && headers['transfer-encoding'] === undefined;
    const bodyLength = known ? job.exchange.lengthOf(status, headers) : null;
    // A busy server is not asked a second time at once.
    if (bodyLength === 'refused' || status === 429 || status >= 500) {
      const text = refusalText(length + 4, known ? Number(headers['content-length']) : 0);
      if (text !== null) throw storageRefusal({ status, headers, text }, 'object');
      return;
    }
    if (bodyLength === null) throw new Unfit(`status ${status}, or another answer`);
    const buffer = buffers.take();
    const early = head.copy(buffer, 0, length + 4, headFilled);
    headFilled = 0;
    phase = { name: 'body', job, keepAlive: headers['connection'] !== 'close', buffer, filled: early, left: bodyLength - early };
    job.wait.answered(performance.now() - job.began);
    socket.setTimeout(job.wait.betweenPieces);
    takeIn(job, early);
  }

  /** What a refusal says, as far as it fits beside its head; `null` while it has not all come. */
  function refusalText(start: number, length: number): string | null {
    const end = start + length;
    if (!(end <= longestHead)) return '';
    return headFilled < end ? null : head.toString('utf8', start, end);
  }

  function takeIn({ sink }: Job, count: number): void {
    const room = sink.arrived(count);
    // After the last byte there is nothing to pause, and the next range belongs to another writer.
    if (phase.name === 'body' && phase.left > 0) paused = !room;
    handOver();
  }

  function letOthersOn(): void {
    strides = 0;
    yielding = true;
    setImmediate(() => {
      yielding = false;
      if (!paused) socket.resume();
    });
  }

  /** Passes a full buffer, or the last one, to the writer. */
  function handOver(): void {
    if (phase.name !== 'body') return;
    const { job, buffer, filled, left, keepAlive } = phase;
    if (left < 0) throw new TransferError('wrong_answer', 'The storage sent more bytes than it had announced.');
    if (left > 0 && filled < Math.min(stride - leastRoom, job.sink.enough())) return;
    const room = job.sink.add(buffer.subarray(0, filled), () => buffers.give(buffer));
    if (left === 0) {
      phase = { name: 'idle' };
      job.end(keepAlive);
    } else {
      phase.buffer = buffers.take();
      phase.filled = 0;
      paused = !room;
      if (++strides === stridesATurn) letOthersOn();
    }
  }

  return {
    socket,
    flow: {
      resume() {
        if (!paused) return;
        paused = false;
        // The silence until here was our own; a timeout that came amid it does not come again by itself.
        if (phase.name === 'body') socket.setTimeout(phase.job.wait.betweenPieces);
        if (!yielding) socket.resume();
      },
      stop,
    },
    run: (asked, exchange, sink, wait) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Unfit('the connection was closed'));
        headFilled = 0;
        phase = { name: 'head', job: { exchange, sink, wait, began: performance.now(), end: resolve, fail: reject } };
        if (socket.connecting) socket.once('connect', () => socket.setTimeout(wait.inAll));
        else socket.setTimeout(wait.inAll);
        socket.write(requestText(asked, exchange), 'latin1');
      }),
  };
}

function requestText({ pathname, search, host }: URL, { method, headers, body }: RawExchange): string {
  const fields = Object.entries({
    host,
    connection: 'keep-alive',
    'accept-encoding': 'identity',
    ...(body !== '' && { 'content-length': String(body.length) }),
    ...headers,
  });
  return `${method} ${pathname}${search} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** The head of an HTTP/1.1 answer, without the empty line at its end. Status 0: it is invalid. Names are in lower case. */
export function parseResponseHead(text: string): { readonly status: number; readonly headers: Readonly<Record<string, string>> } {
  const [first, ...lines] = text.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})(?: [\t -~\x80-\xff]*)?$/.exec(first!)?.[1];
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*$/.exec(line) ?? [];
    // A repeated name, or a line that is no field, makes the head invalid.
    if (name === undefined || headers[name.toLowerCase()] !== undefined) return { status: 0, headers: {} };
    headers[name.toLowerCase()] = value!;
  }
  const length = headers['content-length'];
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return { status: 0, headers: {} };
  return { status: Number(status ?? 0), headers };
}
