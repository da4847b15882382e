import { describe, expect, it } from 'vitest';
import { type PersonsRemedy, remedies } from '#protocol/agent/remedy.ts';
import { type TransferState, transferStates } from '#protocol/agent/transfer-states.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { isAllowed, primaryAction, removalOf } from '#renderer/transfers/actions/allowed-actions.ts';
import { createUndo, undoMilliseconds } from '#renderer/transfers/actions/undo.ts';
import { readReceiptHead } from '#renderer/transfers/detail/receipt-head.ts';
import { noSpeeds, withSpeed } from '#renderer/transfers/detail/speeds.ts';
import { limitOf } from '#renderer/transfers/detail/typed-limit.ts';
import { countOf, filterOf, isNarrowed, type Show, shownStates, shows, statesOf, wholeView } from '#renderer/transfers/list/list-view.ts';
import { actionsFor, choose, countChosen, everything, isChosen, nothing, toggle } from '#renderer/transfers/list/selection.ts';
import { remedyActions } from '#renderer/transfers/needs/remedy-actions.ts';
import { sampleTransfer } from '#test/support/browser/samples.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

describe('what is chosen', () => {
  it('is some, or all but some', () => {
    const one = (id: string, state: TransferState = 'paused') => ({ id, state });
    const two = toggle(toggle(nothing, one('a')), one('b'));
    expect([isChosen(two, 'a'), isChosen(two, 'c'), countChosen(two, 9)]).toEqual([true, false, 2]);
    expect(toggle(two, one('a'))).toEqual({ mode: 'some', ids: new Map([['b', 'paused']]) });
    const allBut = toggle(everything, one('a'));
    expect([isChosen(allBut, 'a'), isChosen(allBut, 'z'), countChosen(allBut, 100_000)]).toEqual([false, true, 99_999]);
    expect(countChosen(choose(allBut, [one('a'), one('q')], true), 100_000)).toBe(100_000);
  });

  it('is offered what it can do, as it stands now, and nothing else', () => {
    const offers = (chosen: readonly [string, TransferState][], now: Readonly<Record<string, TransferState | null>> = {}) => [
      ...actionsFor(
        choose(
          nothing,
          chosen.map(([id, state]) => ({ id, state })),
          true,
        ),
        { stateNow: (id) => now[id], shown: [] },
      ),
    ];
    expect(offers([['a', 'transferring']])).toEqual(['pause', 'priority', 'cancel']);
    expect(offers([['a', 'complete']])).toEqual(['remove']);
    expect(
      offers([
        ['a', 'paused'],
        ['b', 'error'],
      ]),
    ).toEqual(['resume', 'retry', 'priority', 'cancel', 'remove']);
    // What has become of them since they were chosen.
    expect(offers([['a', 'transferring']], { a: 'complete' })).toEqual(['remove']);
    expect(offers([['a', 'transferring']], { a: null })).toEqual([]);
    const ofAll = (show: Show, states?: Record<TransferState, number>) => [
      ...actionsFor(everything, { stateNow: () => undefined, shown: shownStates(show, states) }),
    ];
    const none = { queued: 0, transferring: 0, paused: 0, idle: 0, complete: 0, error: 0, cancelled: 0 };
    expect(ofAll('all', { ...none, complete: 3 })).toEqual(['remove']);
    expect(ofAll('active', { ...none, paused: 2, complete: 3 })).toEqual(['resume', 'priority', 'cancel']);
    expect(ofAll('all')).toEqual(['pause', 'resume', 'retry', 'priority', 'cancel', 'remove']);
  });
});

describe('what is looked at', () => {
  it('asks the agent for exactly that', () => {
    expect(filterOf(wholeView)).toEqual({});
    expect(filterOf({ ...wholeView, show: 'needs', search: ' reel ', kind: 'upload', team: 't' })).toEqual({
      needs_person: true,
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

  it('shows every state in exactly one of active and done, but for what failed', () => {
    expect([...statesOf.active, ...statesOf.done, 'error'].sort()).toEqual([...transferStates].sort());
    const one = { queued: 1, transferring: 1, paused: 1, idle: 1, complete: 1, error: 1, cancelled: 1 };
    const summary = { states: one, bytes_left: 0, upload_bps: 0, download_bps: 0 };
    expect(shows.map((show) => countOf(show, { ...summary, needs_person: 2 }))).toEqual([7, 2, 4, 2]);
    // An older agent counts what failed alone.
    expect(countOf('needs', summary)).toBe(1);
  });
});

it('offers in each state what the agent allows there', () => {
  const offers = Object.fromEntries(
    transferStates.map((state) => {
      const transfer = sampleTransfer({ state });
      return [state, [primaryAction(transfer), removalOf(transfer), isAllowed(transfer, 'move')]];
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
    clock.advance(undoMilliseconds - 1);
    expect([done, undo.pending().length]).toEqual([[], 1]);
    clock.advance(1);
    clock.advance(undoMilliseconds);
    expect([done, undo.pending()]).toEqual([['cancel'], []]);
  });

  it('is never done where it was taken back', () => {
    const { clock, done, undo } = begun();
    undo.add('cancel');
    undo.add('remove');
    undo.undo(undo.pending()[0]!.key);
    clock.advance(undoMilliseconds);
    expect(done).toEqual(['remove']);
  });

  it('is done at once when the page goes away', () => {
    const { clock, done, undo } = begun();
    undo.add('cancel');
    undo.flush();
    clock.advance(undoMilliseconds);
    expect(done).toEqual(['cancel']);
  });

  it('waits while somebody is about to decide, and has its whole moment again then', () => {
    const { clock, done, undo } = begun();
    undo.add('cancel');
    clock.advance(undoMilliseconds - 1);
    undo.pause();
    undo.add('remove');
    clock.advance(10 * undoMilliseconds);
    expect(done).toEqual([]);
    undo.resume();
    undo.resume();
    clock.advance(undoMilliseconds - 1);
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

describe('the ways out', () => {
  const told = (remedy: PersonsRemedy, cause = 'agent_fault') => ({ code: 1, message: 'x', retryable: false, cause, remedy });
  const actions = (change: Partial<AgentTransfer>) => remedyActions(sampleTransfer(change));

  it('are there for every remedy, whichever way it goes', () => {
    for (const remedy of remedies) {
      for (const kind of ['upload', 'download'] as const)
        expect(actions({ state: 'error', kind, error: told(remedy) }).length).toBeGreaterThan(0);
    }
  });

  it('are offered only to what needs a person, and by what it is', () => {
    expect(actions({})).toEqual([]);
    expect(actions({ waiting: { reason: 'soon', remedy: 'wait', needs_person: false } })).toEqual([]);
    expect(actions({ state: 'paused', waiting: { reason: 'paused', needs_person: true } })).toEqual([]);
    // An older agent says nothing of it.
    expect(actions({ state: 'error', error: { code: 1, message: 'x', retryable: false } })).toEqual(['retry']);
    const full = { reason: 'full', remedy: 'free_space', cause: 'disk_full', needs_person: true } as const;
    expect(actions({ kind: 'download', waiting: full })).toEqual(['folder', 'retry']);
    expect(actions({ kind: 'upload', waiting: full })).toEqual(['retry']);
    // The agent's own disk is no folder of the download.
    expect(actions({ kind: 'download', waiting: { ...full, cause: 'agent_disk_full' } })).toEqual(['retry']);
    expect(actions({ kind: 'download', state: 'error', error: told('retry', 'files_failed') })).toEqual(['retry', 'folder', 'finalize']);
    expect(actions({ kind: 'download', state: 'error', error: told('finalize_without', 'files_failed') })).toEqual([
      'finalize',
      'retry',
      'folder',
    ]);
    expect(actions({ kind: 'upload', state: 'error', error: told('finalize_without') })).toEqual(['finalize', 'retry']);
  });
});
