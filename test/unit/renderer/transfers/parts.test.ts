import { describe, expect, it } from 'vitest';
import { transferStates } from '#protocol/agent/transfers.ts';
import { can, endingOf, mainAct } from '#renderer/transfers/doing/actions.ts';
import { createUndo, graceMilliseconds } from '#renderer/transfers/doing/undo.ts';
import { countOf, filterOf, isNarrowed, shows, statesOf, wholeView } from '#renderer/transfers/list/list-view.ts';
import { choose, countChosen, everything, isChosen, nothing, toggle } from '#renderer/transfers/list/selection.ts';
import { limitOf } from '#renderer/transfers/one/own-limit.tsx';
import { readReceiptHead } from '#renderer/transfers/one/receipt-head.ts';
import { noSpeeds, withSpeed } from '#renderer/transfers/one/speeds.ts';
import { createFakeClock } from '#test/support/fake-clock.ts';
import { sampleTransfer } from '#test/support/samples.ts';

describe('what is chosen', () => {
  it('is some, or all but some', () => {
    const two = toggle(toggle(nothing, 'a'), 'b');
    expect([isChosen(two, 'a'), isChosen(two, 'c'), countChosen(two, 9)]).toEqual([true, false, 2]);
    expect(toggle(two, 'a')).toEqual({ mode: 'some', ids: new Set(['b']) });
    const allBut = toggle(everything, 'a');
    expect([isChosen(allBut, 'a'), isChosen(allBut, 'z'), countChosen(allBut, 100_000)]).toEqual([false, true, 99_999]);
    expect(countChosen(choose(allBut, ['a', 'q'], true), 100_000)).toBe(100_000);
  });
});

describe('what is looked at', () => {
  it('asks the agent for exactly that', () => {
    expect(filterOf(wholeView)).toEqual({});
    expect(filterOf({ ...wholeView, show: 'failed', search: ' reel ', kind: 'upload', team: 't' })).toEqual({
      state: ['error'],
      name: 'reel',
      kind: 'upload',
      team_id: 't',
    });
    expect([isNarrowed(wholeView), isNarrowed({ ...wholeView, show: 'done' }), isNarrowed({ ...wholeView, search: 'x' })]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('shows every state in exactly one of active, done and failed', () => {
    expect([...statesOf.active, ...statesOf.done, ...statesOf.failed].sort()).toEqual([...transferStates].sort());
    const one = { queued: 1, transferring: 1, paused: 1, idle: 1, complete: 1, error: 1, cancelled: 1 };
    expect(shows.map((show) => countOf(show, one))).toEqual([7, 4, 2, 1]);
  });
});

it('offers in each state what the agent allows there', () => {
  const offers = Object.fromEntries(
    transferStates.map((state) => {
      const transfer = sampleTransfer({ state });
      return [state, [mainAct(transfer), endingOf(transfer), can(transfer, 'move')]];
    }),
  );
  expect(offers).toEqual({
    queued: ['pause', 'cancel', true],
    transferring: ['pause', 'cancel', true],
    paused: ['resume', 'cancel', true],
    idle: ['finalize', 'cancel', true],
    complete: [null, 'remove', false],
    error: ['retry', 'remove', true],
    cancelled: ['retry', 'remove', false],
  });
});

describe('what can be taken back', () => {
  function begun() {
    const clock = createFakeClock();
    const done: string[] = [];
    const undo = createUndo<string>({
      after: (milliseconds, call) => clock.after(milliseconds, call),
      carryOut: (what) => done.push(what),
    });
    return { clock, done, undo };
  }

  it('is done after its moment, once', () => {
    const { clock, done, undo } = begun();
    undo.add('cancel');
    clock.advance(graceMilliseconds - 1);
    expect([done, undo.pending().length]).toEqual([[], 1]);
    clock.advance(1);
    clock.advance(graceMilliseconds);
    expect([done, undo.pending()]).toEqual([['cancel'], []]);
  });

  it('is never done where it was taken back', () => {
    const { clock, done, undo } = begun();
    undo.add('cancel');
    undo.add('remove');
    undo.undo(undo.pending()[0]!.key);
    clock.advance(graceMilliseconds);
    expect(done).toEqual(['remove']);
  });

  it('is done at once when the page goes away', () => {
    const { clock, done, undo } = begun();
    undo.add('cancel');
    undo.flush();
    clock.advance(graceMilliseconds);
    expect(done).toEqual(['cancel']);
  });

  it('waits while somebody is about to decide, and has its whole moment again then', () => {
    const { clock, done, undo } = begun();
    undo.add('cancel');
    clock.advance(graceMilliseconds - 1);
    undo.hold();
    undo.add('remove');
    clock.advance(10 * graceMilliseconds);
    expect(done).toEqual([]);
    undo.letGo();
    undo.letGo();
    clock.advance(graceMilliseconds - 1);
    expect(done).toEqual([]);
    clock.advance(1);
    expect(done).toEqual(['cancel', 'remove']);
  });
});

it.each([
  ['', 0],
  [' 20 ', 20_000_000],
  ['1,5', 1_500_000],
  ['0.0000001', 1],
  ['0', null],
  ['-1', null],
  ['much', null],
  ['1e9', null],
])('reads “%s” as a limit of %s', (text, limit) => {
  expect(limitOf(text)).toBe(limit);
});

describe('the speed that is drawn', () => {
  it('breaks where nothing was heard, and is bounded', () => {
    let speeds = withSpeed(withSpeed(noSpeeds, 1, 10), 2, 20);
    expect(withSpeed(speeds, 2, 30).bps).toEqual([10, 20]);
    speeds = withSpeed(speeds, 60, 5);
    expect(speeds.bps).toEqual([10, 20, null, 5]);
    for (let at = 61; at < 4_000; at++) speeds = withSpeed(speeds, at, 1);
    expect(speeds.at).toHaveLength(1_500);
  });
});

describe('the head of a receipt', () => {
  const claims = {
    iss: 'https://s',
    iat: 1,
    package_id: 'p',
    package_name: 'Tagesmuster',
    files: 300,
    directories: 1,
    bytes: 9,
    manifest: 'sha256:0',
  };
  const jws = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  const lines = [
    { receipt: jws },
    { kind: 'directory', path: 'a' },
    ...Array.from({ length: 300 }, (_, n) => ({ kind: 'file', path: `a/${n}`, size: n })),
  ];
  const bytes = new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

  it('is read from a stream in pieces of any size, which is let go then', async () => {
    let at = 0;
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + 37));
        at += 37;
      },
      cancel() {
        cancelled = true;
      },
    });
    const head = await readReceiptHead(body);
    expect(head.claims).toEqual(claims);
    expect(head.first).toHaveLength(99);
    expect(head.first[0]).toMatchObject({ path: 'a/0' });
    expect(cancelled).toBe(true);
    expect(at).toBeLessThan(bytes.length);
  });
});
