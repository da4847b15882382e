/** How much of a limit is used, as it is told: less than 80 %, 80 % and more, or all of it. In percent. */
export type QuotaLevel = 0 | 80 | 100;

/** What was told of a limit, and what is so now. Bytes. */
export interface QuotaState {
  readonly limit: number | null;
  readonly used: number;
  /** What was told last, and when. */
  readonly level: QuotaLevel;
  readonly levelAt: Date | null;
  /** When something was last refused, as far as it was noted. */
  readonly refusedAt: Date | null;
  /** What was before does not count: the begin of the month, for traffic. */
  readonly since: Date | null;
}

/** So long nothing lower is kept in mind: files that come and go around a level would make a mail each time. */
const calmMilliseconds = 24 * 3_600_000;

/** The level that is kept from now on, and whether it has to be told. Pure. */
export function nextLevel(
  { limit, used, level: kept, levelAt, refusedAt, since }: QuotaState,
  at: Date,
): { level: QuotaLevel; told: boolean } {
  if (limit === null) return { level: 0, told: false };
  const recent = (moment: Date | null): boolean =>
    moment !== null && at.getTime() - moment.getTime() < calmMilliseconds && (since === null || moment >= since);
  const before: QuotaLevel = since !== null && (levelAt === null || levelAt < since) ? 0 : kept;
  const now = recent(refusedAt) ? 100 : levelOf(limit, used);
  if (now > before) return { level: now, told: true };
  return { level: recent(levelAt) ? before : now, told: false };
}

/** Of a limit of 0 nothing can be used, and whoever set it knows: it is told once something is refused. */
function levelOf(limit: number, used: number): QuotaLevel {
  if (limit === 0) return 0;
  if (used >= limit) return 100;
  return used >= limit * 0.8 ? 80 : 0;
}
