import { type Readable, Transform } from 'node:stream';

/**
 * The same bytes, and an error unless there are exactly `size`: a request whose body is shorter or longer than its
 * `Content-Length` would leave the server waiting, or read the rest as the next request. `seen` gets what passes, and
 * `problem` says in the end what is wrong with it.
 */
export function exactLength(
  source: Readable,
  size: number,
  wrongLength: () => Error,
  { seen, problem }: { readonly seen?: (bytes: Buffer) => void; readonly problem?: () => Error | null } = {},
): Readable {
  let passed = 0;
  const checked = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      passed += bytes.length;
      if (passed > size) return done(wrongLength());
      seen?.(bytes);
      done(null, bytes);
    },
    flush(done) {
      done(passed === size ? (problem?.() ?? null) : wrongLength());
    },
    destroy(error, done) {
      source.destroy();
      done(error);
    },
  });
  source.once('error', (error) => checked.destroy(error));
  return source.pipe(checked);
}
