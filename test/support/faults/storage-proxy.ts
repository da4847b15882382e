import { createHash } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { corsHeaders } from '#storage/local/cors.ts';
import { confirmedParts, isBatchPut } from '../storage/batch-put.ts';

/** One chunk's PUT, by itself or with others in one request, or one range's GET that the storage answered with success, wholly passed on. */
export interface ConfirmedRequest {
  readonly method: string;
  /** PUT: the SHA-256 of the bytes, since the same bytes under another name are sent twice as well. Else the path and the range. */
  readonly what: string;
  /** When it came and when it was answered, in the order of all that happened here. */
  readonly begun: number;
  readonly answered: number;
}

export interface StorageProxy {
  readonly url: string;
  /** Where the requests go; set once the storage is up. */
  upstream: string;
  readonly passages: readonly ConfirmedRequest[];
  /** Bytes of bodies that passed so far, both ways. */
  bytes(): number;
  /** Resolves as soon as so many have. */
  passed(bytes: number): Promise<void>;
  /** Bytes a second over all connections; 0 is unlimited. */
  rate: number;
  /** Bytes of the longest body that it takes of a PUT; a longer one is answered as by a storage that is full. */
  room: number;
  /** Lets so many more chunks' PUTs pass, and keeps the others until it is called again. Without a call all pass. */
  letPass(chunks: number): void;
  /** Keeps the PUTs whose bodies are longer than this until it is called again. */
  holdAbove(bytes: number): void;
  /** Keeps the GETs of ranges that begin at this byte or behind it until it is called again. */
  holdFrom(byte: number): void;
  /** Breaks every connection. */
  cut(): void;
  close(): Promise<void>;
}

const full = '<Error><Code>InsufficientStorage</Code><Message>The disk is full.</Message></Error>';

/** Stands between an agent and its storage: counts what is confirmed, slows it down, says when a moment has come. */
export async function startStorageProxy(): Promise<StorageProxy> {
  const passages: ConfirmedRequest[] = [];
  const sockets = new Set<Socket>();
  const waiters = new Set<{ readonly bytes: number; go(): void }>();
  let moment = 0;
  let total = 0;
  let freeAt = 0;
  let passes = Number.POSITIVE_INFINITY;
  let longest = Number.POSITIVE_INFINITY;
  let lastByte = Number.POSITIVE_INFINITY;
  let kept: (() => void)[] = [];

  const counted = (listener?: { update(bytes: Buffer): unknown }): Transform =>
    new Transform({
      transform(bytes: Buffer, _encoding, done) {
        listener?.update(bytes);
        total += bytes.length;
        for (const waiter of waiters) if (total >= waiter.bytes) waiter.go();
        if (proxy.rate === 0) {
          done(null, bytes);
          return;
        }
        freeAt = Math.max(freeAt, Date.now()) + (bytes.length / proxy.rate) * 1_000;
        void sleep(Math.max(0, freeAt - Date.now())).then(() => done(null, bytes));
      },
    });

  const isHeld = ({ method, headers }: IncomingMessage): boolean => {
    if (method === 'GET') return Number(/bytes=(\d+)/.exec(headers.range ?? '')?.[1] ?? 0) >= lastByte;
    return method === 'PUT' && (Number(headers['content-length']) > longest || passes-- <= 0);
  };

  const letIn = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // Whoever sent it may be gone.
    if (incoming.socket.destroyed) return;
    if (isHeld(incoming)) kept.push(() => letIn(incoming, outgoing));
    else handle(incoming, outgoing);
  };

  const letKeptIn = (): void => {
    const waiting = kept;
    kept = [];
    for (const one of waiting) one();
  };

  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const begun = moment++;
    const { method = '', url = '', headers } = incoming;
    if (method === 'PUT' && Number(headers['content-length']) > proxy.room) {
      incoming.resume().on('end', () => {
        // As the storage itself answers, but without `Retry-After`: a test need not wait for so long.
        const cors = Object.fromEntries(corsHeaders('any', headers.origin));
        outgoing.writeHead(507, { 'content-type': 'application/xml', ...cors }).end(full);
      });
      return;
    }
    const target = new URL(url, proxy.upstream);
    const many = isBatchPut(method, target.pathname);
    const sent = createHash('sha256');
    const asked: Buffer[] = [];
    const said: Buffer[] = [];
    const keeping = (into: Buffer[]) => ({ update: (bytes: Buffer) => void into.push(bytes) });
    const onward = httpRequest({ host: target.hostname, port: target.port, method, path: url, headers, agent: false });
    onward.on('response', (answer) => {
      const status = answer.statusCode ?? 500;
      outgoing.writeHead(status, answer.headers);
      pipeline(answer, counted(many ? keeping(said) : undefined), outgoing, (error) => {
        if (error || status >= 300) return;
        if (many) {
          const answered = moment++;
          const confirmed = confirmedParts(Buffer.concat(asked), Buffer.concat(said).toString());
          for (const what of confirmed) passages.push({ method: 'PUT', what, begun, answered });
          return;
        }
        const what = method === 'PUT' ? sent.digest('hex') : `${target.pathname} ${headers.range ?? ''}`;
        passages.push({ method, what, begun, answered: moment++ });
      });
    });
    onward.on('error', () => outgoing.destroy());
    // A killed agent's request ends at the storage too.
    outgoing.on('close', () => onward.destroy());
    pipeline(incoming, counted(many ? keeping(asked) : sent), onward, () => {});
  };

  // It closes no idle connection: the storage's answers, passed on, say for how long one may be used again. With Node's 5 s
  // a test's request could meet the end of its connection.
  const server = createServer({ keepAliveTimeout: 0 }, letIn);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: StorageProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upstream: '',
    passages,
    bytes: () => total,
    letPass(chunks) {
      passes = chunks;
      letKeptIn();
    },
    holdAbove(bytes) {
      longest = bytes;
      letKeptIn();
    },
    holdFrom(byte) {
      lastByte = byte;
      letKeptIn();
    },
    async passed(bytes) {
      if (total >= bytes) return;
      await new Promise<void>((resolve) => {
        const waiter = {
          bytes,
          go() {
            waiters.delete(waiter);
            resolve();
          },
        };
        waiters.add(waiter);
      });
    },
    rate: 0,
    room: Number.POSITIVE_INFINITY,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** Passages that were begun although the same had been confirmed before. */
export function repeated(passages: readonly ConfirmedRequest[], method: string): string[] {
  const of = passages.filter((passage) => passage.method === method);
  return of.filter((later) => of.some((earlier) => earlier.what === later.what && earlier.answered < later.begun)).map(({ what }) => what);
}
