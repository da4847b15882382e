import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BrowserWindow, Rectangle } from 'electron';
import { makeDirs } from '#filesystem/make-dirs.ts';

/**
 * The window's position and size, in device-independent pixels. Without `x` and `y` the system chooses the position.
 */
export interface WindowBounds {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
  readonly maximized: boolean;
}

export const defaultBounds: WindowBounds = { width: 1100, height: 780, maximized: false };
export const minimumSize = { width: 380, height: 480 };

/** The minimum part of the window's top that must be on a screen, so that a person can drag it. */
const graspable = { width: 120, height: 32 };

/**
 * Fits the position to the current screens: the window is not larger than the screen that shows most of it, and its top
 * can be reached. If its screen is gone, the system chooses the position.
 *
 * @param screens the work area of each screen, the main one first
 */
export function fitToScreens(bounds: WindowBounds, screens: readonly Rectangle[]): WindowBounds {
  const { x, y, width, height, maximized } = bounds;
  const shown = (area: Rectangle, tall: number): { width: number; height: number } => ({
    width: Math.min((x ?? 0) + width, area.x + area.width) - Math.max(x ?? 0, area.x),
    height: Math.min((y ?? 0) + tall, area.y + area.height) - Math.max(y ?? 0, area.y),
  });
  const seen = (area: Rectangle): number => {
    const part = shown(area, height);
    return Math.max(0, part.width) * Math.max(0, part.height);
  };
  const home = [...screens].sort((a, b) => seen(b) - seen(a))[0];
  const fitted = {
    width: Math.max(minimumSize.width, Math.min(width, home?.width ?? width)),
    height: Math.max(minimumSize.height, Math.min(height, home?.height ?? height)),
    maximized,
  };
  if (x === undefined || y === undefined || !home) return fitted;
  const top = shown(home, graspable.height);
  const reachable = top.width >= graspable.width && top.height >= graspable.height;
  return reachable ? { ...fitted, x, y } : fitted;
}

/** The saved position; null where there is none or it is not valid. */
export function readBounds(file: string): WindowBounds | null {
  let kept: unknown;
  try {
    kept = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
  if (typeof kept !== 'object' || kept === null) return null;
  const { x, y, width, height, maximized } = kept as Record<string, unknown>;
  if (!isLength(width) || !isLength(height) || typeof maximized !== 'boolean') return null;
  return { ...(isCoordinate(x) && isCoordinate(y) ? { x, y } : {}), width, height, maximized };
}

/** Saves the window's position, and the one it would have without being maximized. */
export function writeBounds(file: string, window: Pick<BrowserWindow, 'getNormalBounds' | 'isMaximized'>): void {
  const bounds: WindowBounds = { ...window.getNormalBounds(), maximized: window.isMaximized() };
  makeDirs(dirname(file));
  writeFileSync(`${file}.new`, `${JSON.stringify(bounds)}\n`);
  renameSync(`${file}.new`, file);
}

const isCoordinate = (value: unknown): value is number => Number.isInteger(value) && Math.abs(value as number) < 100_000;
const isLength = (value: unknown): value is number => isCoordinate(value) && value >= 100;
