import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultBounds, fitToScreens, readBounds, writeBounds } from '#main/electron/window-bounds.ts';

const folder = mkdtempSync(join(tmpdir(), 'longshore-bounds-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const main = { x: 0, y: 25, width: 1920, height: 1015 };
const right = { x: 1920, y: 0, width: 2560, height: 1440 };
const bounds = { x: 100, y: 100, width: 1100, height: 780, maximized: false };

describe('fitToScreens', () => {
  it.each([
    ['stays where it was', bounds, [main], bounds],
    ['stays on the second screen', { ...bounds, x: 2000 }, [main, right], { ...bounds, x: 2000 }],
    ['comes back from a screen that is gone', { ...bounds, x: 2000 }, [main], { width: 1100, height: 780, maximized: false }],
    ['comes back from above the screen', { ...bounds, y: -700 }, [main], { width: 1100, height: 780, maximized: false }],
    ['comes back when only an edge is left', { ...bounds, x: 1900 }, [main], { width: 1100, height: 780, maximized: false }],
    ['may hang over an edge', { ...bounds, x: 1500, y: 800 }, [main], { ...bounds, x: 1500, y: 800 }],
    [
      'is no larger than its screen',
      { ...bounds, x: 0, y: 25, width: 4000, height: 3000 },
      [main],
      { ...bounds, x: 0, y: 25, width: 1920, height: 1015 },
    ],
    ['stays maximised', { ...bounds, maximized: true }, [main], { ...bounds, maximized: true }],
    ['goes where the system wants at first', defaultBounds, [main], defaultBounds],
    ['is never too small to use', { ...bounds, width: 120, height: 100 }, [main], { ...bounds, width: 380, height: 480 }],
    ['lives without screens', bounds, [], { width: 1100, height: 780, maximized: false }],
  ])('%s', (_, kept, screens, expected) => {
    expect(fitToScreens(kept, screens)).toEqual(expected);
  });
});

describe('the kept bounds', () => {
  it('is read as it was written', () => {
    const file = join(folder, 'inner', 'window.json');
    writeBounds(file, { getNormalBounds: () => ({ x: -5, y: 6, width: 700, height: 800 }), isMaximized: () => true });
    expect(readBounds(file)).toEqual({ x: -5, y: 6, width: 700, height: 800, maximized: true });
  });

  it.each([
    '',
    'null',
    '[]',
    '{"width":1}',
    '{"width":"900","height":700,"maximized":false}',
    '{"width":1e9,"height":700,"maximized":false}',
  ])('that makes no sense is none: %s', (text) => {
    const file = join(folder, 'odd.json');
    writeFileSync(file, text);
    expect(readBounds(file)).toBeNull();
  });

  it('is none at first', () => {
    expect(readBounds(join(folder, 'missing.json'))).toBeNull();
  });
});
