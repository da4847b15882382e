import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { stopRequest } from '#main/cli/signals.ts';

function fakeProcess(connected = false) {
  const kills: string[] = [];
  const target = Object.assign(new EventEmitter(), {
    connected,
    pid: 17,
    // Whoever listens would have the signal in place of its default effect.
    kill: (pid: number, signal: string) => void kills.push(`${pid} ${signal}, ${target.listenerCount(signal)} listen`),
  });
  return { target, kills };
}

describe('the wish to stop', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('comes by %s', async (signal) => {
    const { target, kills } = fakeProcess();
    const stop = stopRequest(target, () => 0);
    target.emit(signal);
    expect(await stop.asked).toBe(signal);
    expect(kills).toEqual([]);
  });

  it('comes by the end of the channel to the parent', async () => {
    const { target } = fakeProcess(true);
    const stop = stopRequest(target, () => 0);
    target.emit('disconnect');
    expect(await stop.asked).toBe('parent gone');
  });

  it('takes the same Ctrl-C, passed on by npm, for one', () => {
    const { target, kills } = fakeProcess();
    let now = 0;
    stopRequest(target, () => now);
    target.emit('SIGINT');
    now = 20;
    target.emit('SIGINT');
    expect(kills).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'])('ends at once by a second %s, as if nobody listened', (signal) => {
    const { target, kills } = fakeProcess();
    let now = 0;
    stopRequest(target, () => now);
    target.emit('SIGTERM');
    now = 1_000;
    target.emit(signal);
    expect(kills).toEqual([`17 ${signal}, 0 listen`]);
  });

  it('listens no more once released', () => {
    const { target } = fakeProcess(true);
    stopRequest(target, () => 0).release();
    expect(target.eventNames()).toEqual([]);
  });
});
