import { describe, expect, it } from 'vitest';
import { type GrowingLook, growingStep } from '#engine/transfer/upload/growing/growing-step.ts';

const MiB = 1024 * 1024;
const rule = { idle: 60_000, maxChunkSize: 1024 * MiB };
const stamp = (size: number, inode = '1:7') => ({ size, mtimeMs: 1.5, inode });

const step = (look: Partial<GrowingLook>) =>
  growingStep({ before: { inode: '1:7' }, now: stamp(0), unchangedFor: 0, sentChunks: 0, chunkSize: null, ...look }, rule);

describe('a file that is being written to', () => {
  it('waits until a chunk is whole, and is sent up to where the last whole one ends', () => {
    expect(step({ now: stamp(64 * MiB - 1) })).toEqual({ do: 'wait' });
    expect(step({ now: stamp(64 * MiB) })).toEqual({ do: 'send', until: 64 * MiB, chunkSize: 64 * MiB });
    expect(step({ now: stamp(200 * MiB), sentChunks: 1, chunkSize: 64 * MiB })).toMatchObject({ do: 'send', until: 192 * MiB });
    expect(step({ now: stamp(200 * MiB), sentChunks: 3, chunkSize: 64 * MiB })).toEqual({ do: 'wait' });
  });

  it('keeps no others from their turn for long', () => {
    expect(step({ now: stamp(6_400 * MiB), sentChunks: 2, chunkSize: 64 * MiB })).toMatchObject({ until: 640 * MiB });
  });

  it('is whole once it is still for long enough, however much is left to send', () => {
    const now = stamp(6_400 * MiB);
    expect(step({ now, unchangedFor: 59_999, sentChunks: 100, chunkSize: 64 * MiB })).toEqual({ do: 'wait' });
    expect(step({ now, unchangedFor: 60_000 })).toEqual({ do: 'settle', stamp: now });
    expect(step({ unchangedFor: 60_000 })).toEqual({ do: 'settle', stamp: stamp(0) });
  });

  it('is begun again where it is another file, or was cut below what was sent', () => {
    const other = stamp(500 * MiB, '1:8');
    expect(step({ now: other, sentChunks: 2, chunkSize: 64 * MiB })).toEqual({ do: 'restart', stamp: other, why: 'replaced' });
    const cut = stamp(128 * MiB - 1);
    expect(step({ now: cut, sentChunks: 2, chunkSize: 64 * MiB, unchangedFor: 90_000 })).toEqual({
      do: 'restart',
      stamp: cut,
      why: 'cut',
    });
    expect(step({ now: stamp(128 * MiB), sentChunks: 2, chunkSize: 64 * MiB })).toEqual({ do: 'wait' });
  });

  it('is the same file when its disk has another device number', () => {
    expect(step({ now: stamp(64 * MiB, '9:7') })).toMatchObject({ do: 'send' });
  });

  it('is begun again with larger chunks where it would have more than 10,000, if the service takes larger ones', () => {
    const now = stamp(640_001 * MiB);
    expect(step({ now, sentChunks: 9_999, chunkSize: 64 * MiB })).toEqual({ do: 'restart', stamp: now, why: 'too_large' });
    const look = { before: { inode: '1:7' }, now, unchangedFor: 0, sentChunks: 10_000, chunkSize: 64 * MiB };
    expect(growingStep(look, { ...rule, maxChunkSize: 64 * MiB })).toEqual({ do: 'wait' });
  });

  it('is left out once it was away for long enough', () => {
    expect(step({ now: null, unchangedFor: 59_999 })).toEqual({ do: 'wait' });
    expect(step({ now: null, unchangedFor: 60_000 })).toEqual({ do: 'leave_out' });
  });
});
