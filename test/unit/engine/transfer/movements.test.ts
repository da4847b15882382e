import { describe, expect, test } from 'vitest';
import { createMovements, worthFinishing } from '#engine/transfer/movements.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

const MB = 1_000_000;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what is worth finishing', () => {
  test.each([
    ['all, where they are through in five seconds', [20 * MB, 10 * MB], 6 * MB, [0, 1]],
    ['those that need least, where not all are', [25 * MB, 4 * MB, 10 * MB], 6 * MB, [1, 2]],
    ['none that needs longer', [31 * MB], 6 * MB, []],
    ['what only waits for its answer, where nothing moves', [0, 1], 0, [0]],
    ['nothing, where nothing is under way', [], MB, []],
  ])('is %s', (_, left, speed, kept) => expect([...worthFinishing(left, speed)].sort()).toEqual(kept));
});

describe('a transfer that is stopped', () => {
  function setUp() {
    const clock = createFakeClock();
    const stop = new AbortController();
    const movements = createMovements(clock);
    const log: string[] = [];
    /** Moves so many bytes, of which some are through, until it is told to end. */
    function move(name: string, bytes: number, through: number) {
      const end = Promise.withResolvers<string>();
      const all = movements.run({ bytes, signal: stop.signal, onBytes: () => {} }, async ({ signal, onBytes }) => {
        log.push(`${name} begins`);
        signal.addEventListener('abort', () => end.reject(new Error('cut')));
        onBytes(through);
        return end.promise;
      });
      void all.then(
        () => log.push(`${name} is noted`),
        (error: Error) => log.push(`${name}: ${error.message}`),
      );
      return end;
    }
    const finish = () => movements.finish(MB).then(() => log.push('finished'));
    return { clock, stop, log, move, finish };
  }

  test('lets what is nearly through finish, and says so when it is noted; the rest it cuts, and begins nothing', async () => {
    const { stop, log, move, finish } = setUp();
    const near = move('near', 10 * MB, 6 * MB);
    move('far', 10 * MB, 3 * MB);
    const finishing = finish();
    move('late', MB, 0);
    await settle();
    expect(log).toEqual(['near begins', 'far begins']);
    near.resolve('etag');
    await finishing;
    expect(log.slice(2)).toEqual(['near is noted', 'finished']);
    stop.abort(new Error('paused'));
    await settle();
    // Who sent it hears of the pause, not of a failure that it would try again.
    expect(log.slice(4).sort()).toEqual(['far: paused', 'late: paused']);
  });

  test('waits no longer for what turns out to take longer', async () => {
    const { clock, log, move, finish } = setUp();
    move('stalled', 10 * MB, 9 * MB);
    const finishing = finish();
    clock.advance(5_999);
    await settle();
    expect(log).toEqual(['stalled begins']);
    clock.advance(1);
    await finishing;
  });

  test('is through at once where nothing is under way, and asked again it is the same', async () => {
    const { log, finish } = setUp();
    await Promise.all([finish(), finish()]);
    expect(log).toEqual(['finished', 'finished']);
  });

  test('a failure of what is let finish is its own', async () => {
    const { log, move, finish } = setUp();
    const near = move('near', MB, 0);
    const finishing = finish();
    near.reject(new Error('refused'));
    await finishing;
    expect(log).toEqual(['near begins', 'near: refused', 'finished']);
  });
});
