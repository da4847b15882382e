import { ApiError, type ErrorName } from '#protocol/errors.ts';

/** A problem, in the same words as the API's error messages. */
export interface HealthProblem {
  readonly error: ErrorName;
  readonly code: number;
  readonly message: string;
  /** The time of the first failure. */
  readonly since: string;
}

export interface Health {
  /** Records a failure. `what` names it; with `passes` it is forgotten after a minute without another failure. */
  failed(what: string, error: ApiError, options?: { readonly passes?: boolean }): void;
  works(what: string): void;
  /** The current problems. The checks are run again if their results are more than some seconds old. */
  problems(): Promise<readonly HealthProblem[]>;
}

/** A check. Returns the problem, or `null`. */
export type HealthCheck = () => Promise<ApiError | null>;

interface Note {
  readonly error: ApiError;
  readonly since: Date;
  readonly until: number;
}

const passingMilliseconds = 60_000;
/** Checks are cached, since anybody may call the endpoint. */
const checkedMilliseconds = 5_000;

/** Tracks the health of what the service depends on. */
export function createHealth(checks: Readonly<Record<string, HealthCheck>>, now: () => Date): Health {
  const notes = new Map<string, Note>();
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;

  const failed: Health['failed'] = (what, error, { passes = false } = {}) => {
    const at = now();
    const before = notes.get(what);
    const since = before?.error.error === error.error && before.until > at.getTime() ? before.since : at;
    notes.set(what, { error, since, until: passes ? at.getTime() + passingMilliseconds : Number.POSITIVE_INFINITY });
  };
  const checkAll = async (): Promise<void> => {
    await Promise.all(
      Object.entries(checks).map(async ([what, check]) => {
        const error = await check().catch(() => new ApiError('unavailable'));
        if (error) failed(what, error);
        else notes.delete(what);
      }),
    );
    checkedAt = now().getTime();
    checking = null;
  };

  return {
    failed,
    works: (what) => void notes.delete(what),
    async problems() {
      if (now().getTime() - checkedAt > checkedMilliseconds) {
        checking ??= checkAll();
        await checking;
      }
      const found = new Map<ErrorName, HealthProblem>();
      for (const [what, { error, since, until }] of notes) {
        if (until <= now().getTime()) notes.delete(what);
        else if (!found.has(error.error)) found.set(error.error, { error: error.error, ...error.body, since: since.toISOString() });
      }
      return [...found.values()];
    },
  };
}
