import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { stopRequest } from '#main/cli/signals.ts';

function fakeProcess(connected = false) {
  const exits: number[] = [];
  const target = Object.assign(new EventEmitter(), { connected, exit: (code: number) => void exits.push(code) });
  return { target, exits };
}

describe('the wish to stop', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('comes by %s', async (signal) => {
    const { target, exits } = fakeProcess();
    const stop = stopRequest(target, () => 0);
    target.emit(signal);
    expect(await stop.asked).toBe(signal);
    expect(exits).toEqual([]);
  });

  it('comes by the end of the channel to the parent', async () => {
    const { target } = fakeProcess(true);
    const stop = stopRequest(target, () => 0);
    target.emit('disconnect');
    expect(await stop.asked).toBe('parent gone');
  });

  it('takes the same Ctrl-C, passed on by npm, for one', () => {
    const { target, exits } = fakeProcess();
    let now = 0;
    stopRequest(target, () => now);
    target.emit('SIGINT');
    now = 20;
    target.emit('SIGINT');
    expect(exits).toEqual([]);
  });

  it.each<[string, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('ends at once by a second %s, with %i', (signal, code) => {
    const { target, exits } = fakeProcess();
    let now = 0;
    stopRequest(target, () => now);
    target.emit('SIGTERM');
    now = 1_000;
    target.emit(signal);
    expect(exits).toEqual([code]);
  });

  it('listens no more once released', () => {
    const { target } = fakeProcess(true);
    stopRequest(target, () => 0).release();
    expect(target.eventNames()).toEqual([]);
  });
});
