import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { icnsOf, icoOf } from '#test/support/browser/icon-containers.ts';

/** The committed icons, read as the platforms read them. */
const icons = fileURLToPath(new URL('../../../resources/icons', import.meta.url));
const read = (name: string): Buffer => readFileSync(join(icons, name));

/** Width and height of a PNG, from its first chunk. */
function sizeOf(png: Uint8Array): [number, number] {
  const view = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  expect(view.subarray(0, 8)).toEqual(Buffer.from('89504e470d0a1a0a', 'hex'));
  expect(view.toString('latin1', 12, 16)).toBe('IHDR');
  return [view.readUInt32BE(16), view.readUInt32BE(20)];
}

function icoEntries(file: Buffer): { side: number; png: Buffer }[] {
  expect([file.readUInt16LE(0), file.readUInt16LE(2)]).toEqual([0, 1]);
  return Array.from({ length: file.readUInt16LE(4) }, (_, index) => {
    const at = 6 + 16 * index;
    const from = file.readUInt32LE(at + 12);
    return { side: file[at] || 256, png: file.subarray(from, from + file.readUInt32LE(at + 8)) };
  });
}

function icnsElements(file: Buffer): { type: string; png: Buffer }[] {
  expect(file.toString('latin1', 0, 4)).toBe('icns');
  expect(file.readUInt32BE(4)).toBe(file.length);
  const elements: { type: string; png: Buffer }[] = [];
  for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4)) {
    elements.push({ type: file.toString('latin1', at, at + 4), png: file.subarray(at + 8, at + file.readUInt32BE(at + 4)) });
  }
  return elements;
}

describe('the icons', () => {
  it('are pictures of the sizes in their names', () => {
    const names = readdirSync(icons).filter((name) => /^\d/.test(name));
    expect(names).toHaveLength(8);
    for (const name of names) expect(sizeOf(read(name)).join('x')).toBe(name.replace('.png', ''));
    expect(sizeOf(readFileSync(join(icons, '../icon.png')))).toEqual([512, 512]);
  });

  it('for trays have a picture for dense screens', () => {
    for (const name of ['tray', 'trayTemplate']) {
      const [side] = sizeOf(read(`${name}.png`));
      expect(sizeOf(read(`${name}@2x.png`))).toEqual([2 * side, 2 * side]);
    }
  });

  it('for Windows are in every size that it shows, up to 256', () => {
    const entries = icoEntries(read('icon.ico'));
    expect(entries.map((one) => one.side)).toEqual([16, 24, 32, 48, 64, 128, 256]);
    for (const { side, png } of entries) expect(sizeOf(png)).toEqual([side, side]);
  });

  it('for macOS are in every size, for simple and dense screens', () => {
    const sides = Object.fromEntries(icnsElements(read('icon.icns')).map(({ type, png }) => [type, sizeOf(png)[0]]));
    expect(sides).toEqual({
      icp4: 16,
      icp5: 32,
      ic11: 32,
      icp6: 64,
      ic12: 64,
      ic07: 128,
      ic08: 256,
      ic13: 256,
      ic09: 512,
      ic14: 512,
      ic10: 1024,
    });
  });
});

describe('the containers', () => {
  const picture = (side: number) => ({ side, png: new Uint8Array([side % 256, 1, 2]) });

  it('give back the pictures that went in', () => {
    expect(icoEntries(Buffer.from(icoOf([picture(16), picture(256)]))).map(({ side, png }) => [side, [...png]])).toEqual([
      [16, [16, 1, 2]],
      [256, [0, 1, 2]],
    ]);
    expect(icnsElements(Buffer.from(icnsOf([picture(32)]))).map(({ type, png }) => [type, [...png]])).toEqual([
      ['icp5', [32, 1, 2]],
      ['ic11', [32, 1, 2]],
    ]);
  });

  it('refuse sizes that they have no room for', () => {
    expect(() => icoOf([picture(512)])).toThrow(RangeError);
    expect(() => icnsOf([picture(48)])).toThrow(RangeError);
  });
});
