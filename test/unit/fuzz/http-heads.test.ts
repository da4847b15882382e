import { createServer, request } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseResponseHead } from '#engine/io/fast/raw-http.ts';
import { parseRawPut } from '#storage/local/fast/raw-head.ts';
import { corpusOf, fuzz, fuzzTimeout, mutated } from '#test/support/faults/fuzz.ts';

/** The parsers of the fast ways, against Node's own: what they read, Node reads alike. Refusing more than Node is their right. */

/** The far end of a connection that says this, and waits. */
function saying(bytes: Buffer): Duplex {
  const stream = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
  stream.push(bytes);
  const self = () => stream;
  return Object.assign(stream, { setTimeout: self, setNoDelay: self, setKeepAlive: self, ref: self, unref: self });
}

/** What has come is heard by then. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
}

interface Heard {
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** The first request as Node hears it; null if it refuses it. */
async function heardByNode(bytes: Buffer): Promise<Heard | null> {
  let heard: Heard | null = null;
  const server = createServer({ insecureHTTPParser: false }, ({ method, url, headers }) => {
    heard ??= { method, target: url, headers, body: '' };
  });
  server.prependListener('request', (message) => {
    if (heard !== null) return;
    message.on('data', (piece: Buffer) => {
      if (heard) heard.body += piece.toString('latin1');
    });
    message.on('error', () => undefined);
  });
  server.on('clientError', () => undefined);
  const socket = saying(bytes);
  server.emit('connection', socket);
  await settled();
  socket.destroy();
  return heard;
}

const fields = fc.constantFrom(
  ...[
    'connection: keep-alive',
    'user-agent: \t x y',
    'accept: */*',
    'x-forwarded-for: 192.0.2.7',
    'content-type: a/b',
    'Accept-Encoding: \xff',
  ],
);
const doubtful = fc.constantFrom(
  ...['host: a.example', 'content-length: 7', 'Content-Length: 12', 'content-length: 0', 'connection: close', 'transfer-encoding: chunked'],
  ...['expect: 100-continue', 'origin: x', 'upgrade: h2c', 'x: \x80\xff'],
);
const lines = fc
  .tuple(
    fc.uniqueArray(fields, { maxLength: 4 }),
    fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(doubtful, { maxLength: 2 }) }),
  )
  .map((both) => both.flat());
const confusing = ['\r', '\n', '\r\n', '\r\n\r\n', ' ', '\t', ':', '\0', ',', '0', '\x7f', '\xff', 'content-length: 3\r\n'];
const requests = fc
  .tuple(
    fc.constantFrom('PUT /a/b?x=1 HTTP/1.1', 'PUT / HTTP/1.1', 'PUT /%00 HTTP/1.1', 'POST / HTTP/1.1', 'PUT / HTTP/1.0'),
    lines,
    fc.string({ maxLength: 14 }),
  )
  .map(([first, more, body]) => `${[first, 'host: a', 'content-length: 7', ...more].join('\r\n')}\r\n\r\n${body}`);
const heads = fc.oneof(
  requests,
  requests.map((text) => text.replace('host: a\r\ncontent-length: 7\r\n', '')),
);

test(
  'a head that is taken for a plain PUT is one to Node as well, of the same target, length and body',
  async () => {
    let taken = 0;
    await fuzz(
      mutated(heads, confusing),
      async (text) => {
        const bytes = Buffer.from(text, 'latin1');
        const put = parseRawPut(bytes);
        if (put === null) return;
        taken += 1;
        const heard = await heardByNode(bytes);
        expect(heard, 'refused by Node').not.toBeNull();
        expect(heard).toMatchObject({ method: 'PUT', target: put.target });
        expect(Number(heard!.headers['content-length'])).toBe(put.length);
        expect(heard!.headers['transfer-encoding']).toBeUndefined();
        expect(heard!.headers['x-forwarded-for']).toBe(put.forwardedFor);
        expect(heard!.body).toBe(bytes.toString('latin1', put.headLength, put.headLength + put.length));
      },
      { corpus: corpusOf<string>('request-heads'), runs: 2_000 },
    );
    // A generator whose cases are all refused would compare nothing.
    expect(taken).toBeGreaterThan(50);
  },
  fuzzTimeout,
);

/** The first answer as Node hears it; null if it refuses it. */
async function answerByNode(bytes: Buffer): Promise<{ readonly status: number; readonly headers: Heard['headers'] } | null> {
  let heard: { readonly status: number; readonly headers: Heard['headers'] } | null = null;
  const asked = request({ createConnection: () => saying(bytes) as never, host: 'a.example' }, (answer) => {
    heard ??= { status: answer.statusCode!, headers: answer.headers };
    answer.on('error', () => undefined);
  });
  asked.on('error', () => undefined);
  asked.on('information', ({ statusCode, headers }) => {
    heard ??= { status: statusCode, headers };
  });
  asked.end();
  await settled();
  asked.destroy();
  return heard;
}

const answerFields = fc.constantFrom(
  ...[
    'content-range: bytes 1-2/3',
    'Content-Range: bytes 0-4/9',
    'etag: "a:b"',
    'connection: close',
    'date: x',
    'x-empty:',
    'content-type:  a/b \t',
  ],
  ...['transfer-encoding: chunked', 'cache-control: private, immutable', 'x: \x80'],
);
const answers = fc
  .tuple(fc.constantFrom('HTTP/1.1 206 Partial Content', 'HTTP/1.1 206', 'HTTP/1.0 206 x'), fc.uniqueArray(answerFields, { maxLength: 5 }))
  .map(([first, more]) => [first, 'Content-Length: 9', ...more].join('\r\n'));

test(
  'the head of an answer is read as Node reads it, or not at all',
  async () => {
    let read = 0;
    await fuzz(
      mutated(answers, confusing),
      async (text) => {
        if (text.includes('\r\n\r\n')) return;
        const { status, headers } = parseResponseHead(text);
        // Of all else the fast way takes nothing but the status of a server that is busy.
        if (status !== 206 || headers['content-length'] === undefined || headers['transfer-encoding'] !== undefined) return;
        read += 1;
        const heard = await answerByNode(Buffer.from(`${text}\r\n\r\n`, 'latin1'));
        expect(heard, 'refused by Node').not.toBeNull();
        expect(status).toBe(heard!.status);
        for (const name of ['content-length', 'content-range', 'transfer-encoding', 'etag', 'connection'])
          expect(headers[name], name).toEqual(heard!.headers[name]);
      },
      { corpus: corpusOf<string>('response-heads'), runs: 1_500 },
    );
    expect(read).toBeGreaterThan(50);
  },
  fuzzTimeout,
);
