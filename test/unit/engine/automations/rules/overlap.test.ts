import { describe, expect, it } from 'vitest';
import { findOverlap, type UsedFolder } from '#engine/automations/rules/overlap.ts';

const source = (path: string, of = 'this automation'): UsedFolder => ({ of, role: 'source', path });
const target = (path: string, of = 'this automation'): UsedFolder => ({ of, role: 'target', path });
const other = 'the automation "Renders"';
const message = (own: UsedFolder[], others: UsedFolder[], platform: NodeJS.Platform = 'linux') =>
  findOverlap(own, others, platform)?.message ?? null;

describe('folders that overlap', () => {
  it('are refused where what is received would be sent again', () => {
    expect(message([source('/media/in/day 1')], [target('/media/in', other)])).toBe(
      '/media/in/day 1 lies in /media/in, which the automation "Renders" puts files into. What is put there would be sent again. Choose another folder.',
    );
    expect(message([target('/media/in/sent')], [source('/media/in', other)])).toContain('What is put there would be sent again');
    expect(message([source('/media')], [target('/media/in', other)])).toContain('/media holds /media/in');
  });

  it('are refused where files would be sent twice', () => {
    expect(message([source('/media/in')], [source('/media/in', other)])).toBe(
      '/media/in is the folder, which the automation "Renders" sends from. The same files would be sent twice. Choose another folder.',
    );
  });

  it('are refused within one automation', () => {
    expect(message([source('/media/in'), target('/media/in/sent')], [])).toContain(
      '/media/in holds /media/in/sent, which this automation puts',
    );
  });

  it('are fine as targets, and beside each other', () => {
    expect(
      message([target('/media/in')], [target('/media/in', other), source('/media/input', other), source('/media/i', other)]),
    ).toBeNull();
  });

  it('are the same whatever their letters where the disk does not tell them apart', () => {
    expect(message([source('/Media/In')], [target('/media/in', other)])).toBeNull();
    expect(message([source('/Media/In')], [target('/media/in', other)], 'darwin')).not.toBeNull();
  });
});
