/** Requests that fetch many objects at once (storage/local/batch-get.ts), as whoever stands between sees them. */

export const isBatchGet = (method: string, path: string): boolean => method === 'POST' && path.endsWith('/-/objects');

export interface BatchGetObject {
  readonly bytes?: Buffer;
  readonly refusal?: { readonly status: number; readonly code: string };
}

/** What an answer holds of each object, in the order asked. */
export function objectsIn(body: Buffer): BatchGetObject[] {
  const end = body.indexOf('\n');
  let at = end + 1;
  return (JSON.parse(body.toString('utf8', 0, end)) as { length?: number; status: number; code: string }[]).map(
    ({ length, ...refusal }) => {
      if (length === undefined) return { refusal };
      at += length;
      return { bytes: body.subarray(at - length, at) };
    },
  );
}

/** A key that one address stands for is shown by the path that an address of its own would have. */
function wantedIn(body: string[] | { objects: string[]; wanted?: number[] }): string[] {
  if (Array.isArray(body)) return body;
  const { objects, wanted = [...objects.keys()] } = body;
  return wanted.map((position) => `/${objects[position]}`);
}

/** The path and range of each object that an answer holds, as if it had come by a request of its own. */
export function rangesAnswered(asked: Buffer, answer: Buffer): string[] {
  const targets = wantedIn(JSON.parse(asked.toString()) as string[] | { objects: string[]; wanted?: number[] });
  return objectsIn(answer).flatMap(({ bytes }, index) =>
    bytes === undefined ? [] : [`${targets[index]!.split('?')[0]} bytes=0-${bytes.length - 1}`],
  );
}
