import { describe, expect, it } from 'vitest';
import type { File } from '#protocol/hosted/files.ts';
import { rowsOf, treeOf } from '#ui/tree/file-tree.ts';
import { moveFor } from '#web/download/tree/keys.ts';

const record = (whole: string, size = 1, kind: File['kind'] = 'file'): File => {
  const slash = whole.lastIndexOf('/');
  return {
    id: whole,
    kind,
    name: whole.slice(slash + 1),
    path: slash < 0 ? '' : whole.slice(0, slash),
    last_modified: '2026-11-20T18:04:11.000Z',
    size,
    virus_detected: false,
  };
};
const all = (): boolean => true;

const root = treeOf(
  [
    record('b/take 10.mov', 10),
    record('b/take 9.mov', 9),
    record('a.txt', 1),
    record('b/audio/T1.wav', 3),
    record('empty', 0, 'directory'),
    record('all.zip', 0, 'zip_mac'),
  ],
  'en',
);

describe('the keys', () => {
  const rows = rowsOf(root, all);
  const at = (path: string) => rows.findIndex(({ node }) => node.path === path);
  const move = (key: string, from: string, more: { closed?: string; typed?: string; rightToLeft?: boolean } = {}) =>
    moveFor(key, more.typed ?? key, {
      rows,
      at: at(from),
      isOpen: ({ path }) => path !== more.closed,
      page: 3,
      rightToLeft: more.rightToLeft ?? false,
    });
  const go = (path: string) => ({ kind: 'go', to: at(path) });

  it.each([
    ['ArrowDown', 'b', go('b/audio')],
    ['ArrowDown', 'a.txt', go('a.txt')],
    ['ArrowUp', 'b/audio', go('b')],
    ['ArrowUp', 'b', go('b')],
    ['Home', 'a.txt', go('b')],
    ['End', 'b', go('a.txt')],
    ['PageDown', 'b', go('b/take 9.mov')],
    ['PageUp', 'b/audio/T1.wav', go('b')],
    ['ArrowRight', 'b', go('b/audio')],
    ['ArrowRight', 'empty', null],
    ['ArrowRight', 'a.txt', null],
    ['ArrowLeft', 'b', { kind: 'close', path: 'b' }],
    ['ArrowLeft', 'b/take 10.mov', go('b')],
    ['ArrowLeft', 'b/audio/T1.wav', go('b/audio')],
    ['ArrowLeft', 'a.txt', null],
    ['Enter', 'a.txt', { kind: 'act' }],
    [' ', 'b', { kind: 'choose' }],
    ['*', 'b', { kind: 'open_siblings' }],
    ['Escape', 'b', null],
    ['t', 'b', go('b/audio/T1.wav')],
    ['t', 'b/audio/T1.wav', go('b/take 9.mov')],
    ['t', 'b/take 10.mov', go('b/audio/T1.wav')],
    ['x', 'b', null],
  ])('%s at %s', (key, from, expected) => {
    expect(move(key, from)).toEqual(expected);
  });

  it('open what is closed, find what is typed in one go, and turn round with the page', () => {
    expect(move('ArrowRight', 'b', { closed: 'b' })).toEqual({ kind: 'open', path: 'b' });
    expect(move('1', 'b/take 9.mov', { typed: 'take 1' })).toEqual(go('b/take 10.mov'));
    expect(move('ArrowRight', 'b/audio', { rightToLeft: true })).toEqual({ kind: 'close', path: 'b/audio' });
    expect(move('ArrowLeft', 'b', { rightToLeft: true })).toEqual(go('b/audio'));
    expect(moveFor('ArrowDown', '', { rows: [], at: 0, isOpen: all, page: 3, rightToLeft: false })).toBe(null);
  });
});
