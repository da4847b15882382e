import { TransferError } from '#client/errors.ts';
import type { Slice } from '#client/ports.ts';
import { isRangeOf } from '#protocol/storage/ranges.ts';

/**
 * Checks whether an answer's head is that of the requested range. `null`: it is. `refused`: its body says why not. A
 * whole file in answer to a range is accepted if the range is the whole file.
 */
export function checkRangeAnswer(
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  slice: Slice,
): TransferError | 'refused' | null {
  if (status !== 206 && status !== 200) return 'refused';
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return wrong(`in the encoding ${encoding}`);
  const length = headers['content-length'];
  if (length !== undefined && Number(length) !== slice.length) {
    return wrong(
      status === 200 ? 'without the range, which this storage does not know' : `with ${length} bytes in place of ${slice.length}`,
    );
  }
  if (status === 200)
    return slice.offset === 0 && length !== undefined ? null : wrong('without the range, which this storage does not know');
  return isRangeOf(headers['content-range'], slice.offset, slice.length) ? null : wrong('with another range than the one asked for');
}

function wrong(how: string): TransferError {
  return new TransferError('wrong_answer', `The storage answered ${how}.`);
}
