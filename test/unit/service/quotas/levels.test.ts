import { expect, it } from 'vitest';
import { nextLevel, type QuotaState } from '#service/quotas/levels.ts';

const at = new Date('2026-11-24T12:00:00Z');
const ago = (hours: number): Date => new Date(at.getTime() - hours * 3_600_000);
const month = new Date('2026-11-24T00:00:00Z');
const none = { limit: 100, used: 0, level: 0, levelAt: null, refusedAt: null, since: null } as const;

it.each<[string, Partial<QuotaState>, number, boolean]>([
  ['no limit', { limit: null, used: 1e12 }, 0, false],
  ['little is used', { used: 79 }, 0, false],
  ['80 % are used', { used: 80 }, 80, true],
  ['80 % are used, and it was told', { used: 99, level: 80, levelAt: ago(1) }, 80, false],
  ['all is used', { used: 100, level: 80, levelAt: ago(1) }, 100, true],
  ['all is used at once', { used: 120 }, 100, true],
  ['something was refused where little is used', { used: 10, refusedAt: ago(1) }, 100, true],
  ['it was refused long ago', { used: 10, refusedAt: ago(25) }, 0, false],
  ['less is used, soon after it was told', { used: 10, level: 80, levelAt: ago(23) }, 80, false],
  ['less is used, a day after it was told', { used: 10, level: 80, levelAt: ago(24) }, 0, false],
  ['less is used, a day after it was full', { used: 85, level: 100, levelAt: ago(24) }, 80, false],
  ['nothing may be used', { limit: 0 }, 0, false],
  ['nothing may be used, and something was refused', { limit: 0, refusedAt: ago(1) }, 100, true],
  ['a new month has begun', { used: 0, level: 100, levelAt: ago(13), since: month }, 0, false],
  ['as much is used in the new month', { used: 85, level: 80, levelAt: ago(13), since: month }, 80, true],
  ['it was refused in the month before', { used: 0, refusedAt: ago(13), since: month }, 0, false],
])('where %s', (_, state, level, told) => {
  expect(nextLevel({ ...none, ...state }, at)).toEqual({ level, told });
});
