import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { verdictOf } from './clamd-reply.ts';
import { ScanError, type VirusScanner } from './ports.ts';

export type ClamdAddress = { readonly host: string; readonly port: number } | { readonly path: string };
const chunkBytes = 64 * 1024;
const longestReply = 4_096;

/** The least `MaxFileSize` that releases and packages of clamd are shipped with: beyond it they say OK without having looked. */
const defaultMaxBytes = 25 * 1024 * 1024;

export interface ClamdLimits {
  /** Not beyond clamd's `MaxFileSize` and `StreamMaxLength`. */
  readonly maxBytes?: number;
  readonly connectMilliseconds?: number;
  /** Without a byte in either direction. clamd itself stops at `MaxScanTime`, two minutes by default. */
  readonly idleMilliseconds?: number;
}

/** Scans by ClamAV's daemon, with a connection for each file (clamd(8), `INSTREAM`). */
export function openClamd(
  address: ClamdAddress,
  { maxBytes = defaultMaxBytes, connectMilliseconds = 10_000, idleMilliseconds = 300_000 }: ClamdLimits = {},
): VirusScanner {
  async function ask(send: (conversation: Conversation) => Promise<void>, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const conversation = await Conversation.begin(address, connectMilliseconds, idleMilliseconds, signal);
    try {
      await send(conversation);
      return await conversation.reply();
    } finally {
      conversation.end();
    }
  }
  return {
    maxBytes,
    async scan(bytes, signal) {
      return verdictOf(await ask((conversation) => sendStream(conversation, bytes), signal));
    },
    version: (signal) => ask((conversation) => conversation.write(Buffer.from('zVERSION\0')), signal),
  };
}

async function sendStream(conversation: Conversation, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await conversation.write(Buffer.from('zINSTREAM\0'));
  for await (const piece of bytes) {
    for (let start = 0; start < piece.length; start += chunkBytes) {
      // It has answered already: at its limit it reads no further.
      if (conversation.isOver) return;
      const chunk = piece.subarray(start, start + chunkBytes);
      await conversation.write(lengthOf(chunk.length), chunk);
    }
    if (conversation.isOver) return;
  }
  await conversation.write(lengthOf(0));
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(bytes);
  return length;
}

/** One question and its answer. */
class Conversation {
  readonly #socket: Socket;
  readonly #signal: AbortSignal;
  readonly #answer: Promise<string>;
  #isOver = false;
  readonly #abort = (): void => void this.#socket.destroy(this.#signal.reason);

  private constructor(socket: Socket, signal: AbortSignal, idleMilliseconds: number) {
    this.#socket = socket;
    this.#signal = signal;
    socket.setTimeout(idleMilliseconds, () =>
      socket.destroy(new ScanError('timeout', `The virus scanner said nothing for ${idleMilliseconds / 1000} s.`)),
    );
    signal.addEventListener('abort', this.#abort, { once: true });
    this.#answer = this.#read();
    this.#answer.catch(() => undefined);
  }

  static async begin(
    address: ClamdAddress,
    connectMilliseconds: number,
    idleMilliseconds: number,
    signal: AbortSignal,
  ): Promise<Conversation> {
    const socket = connect({ ...address, noDelay: true });
    const late = AbortSignal.timeout(connectMilliseconds);
    try {
      await once(socket, 'connect', { signal: AbortSignal.any([signal, late]) });
    } catch (error) {
      socket.on('error', () => undefined).destroy();
      signal.throwIfAborted();
      const cause = late.aborted ? `no connection within ${connectMilliseconds / 1000} s` : codeOf(error);
      throw new ScanError('unreachable', `The virus scanner cannot be reached (${cause}).`, { cause: error });
    }
    return new Conversation(socket, signal, idleMilliseconds);
  }

  /** Whether there is an answer, or will be none. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Settles when it may go on. A failure is the answer's to tell. */
  async write(...chunks: readonly Uint8Array[]): Promise<void> {
    if (this.#isOver) return;
    this.#socket.cork();
    let flows = true;
    for (const chunk of chunks) flows = this.#socket.write(chunk);
    this.#socket.uncork();
    if (flows) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.once('drain', resolve);
    await Promise.race([promise, this.#answer.catch(() => undefined)]);
    this.#socket.off('drain', resolve);
  }

  reply(): Promise<string> {
    return this.#answer;
  }

  end(): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#socket.destroy();
  }

  #read(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let text = '';
    const over = (settle: () => void): void => {
      this.#isOver = true;
      settle();
    };
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (piece: string) => {
      text += piece;
      const end = text.indexOf('\0');
      if (end >= 0) over(() => resolve(text.slice(0, end)));
      // Its own end with a zero byte: what sends lines is another program, which may wait for more.
      else if (text.includes('\n') || text.length > longestReply)
        this.#socket.destroy(new ScanError('refused', 'What answers there is no clamd.'));
    });
    this.#socket.on('error', (error) => over(() => reject(this.#signal.aborted ? this.#signal.reason : toScanError(error))));
    this.#socket.on('close', () => over(() => reject(toScanError(new Error('closed')))));
    return promise;
  }
}

const toScanError = (error: Error): ScanError =>
  error instanceof ScanError
    ? error
    : new ScanError('broken', `The connection to the virus scanner broke before its answer (${codeOf(error)}).`, { cause: error });
const codeOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.message) : 'no reason given';
