/** Why a part cannot be used, as a sentence without secrets: anybody may read it. Null: it can. */
type Finding = string | null;

/** Looks at one or more parts, by their names. A rejection counts for all of them. */
export interface Probe<Part extends string = string> {
  readonly parts: readonly Part[];
  /** The signal is aborted when nobody waits for the answer any more. */
  readonly look: (signal: AbortSignal) => Promise<Readonly<Record<Part, Finding>>>;
}

/** The body of `GET /readyz` (contract/system.md §2). */
export interface ReadinessReport {
  readonly status: 'ready' | 'not_ready';
  readonly checks: Readonly<Record<string, { readonly status: 'ok' } | { readonly status: 'failed'; readonly reason: string }>>;
}

export interface Readiness {
  /** Answers within the limit, whatever the parts do. Asked again within two seconds it gives the same report. */
  report(): Promise<ReadinessReport>;
  /** From now on it is not ready, and nothing is looked at: calls shall go to other nodes. */
  stop(): void;
}

interface ReadinessOptions {
  /** How long one part may take. */
  readonly limitMilliseconds?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

const stopped: ReadinessReport = {
  status: 'not_ready',
  checks: { stop: { status: 'failed', reason: 'The service is stopping.' } },
};

const defaultLimit = 2_000;
/** Anybody may ask, so reports are kept for a moment. */
const keptMilliseconds = 2_000;

/** Whether this process can do its work now: it has all that its calls need. */
export function createReadiness(probes: readonly Probe[], options: ReadinessOptions = {}): Readiness {
  const { limitMilliseconds = defaultLimit, now = () => performance.now() } = options;
  let stopping = false;
  let kept: { readonly at: number; readonly report: Promise<ReadinessReport> } | null = null;

  const lookAt = async ({ parts, look }: Probe): Promise<readonly (readonly [string, Finding])[]> => {
    const late = `It did not answer within ${limitMilliseconds / 1_000} s.`;
    const giveUp = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(late), limitMilliseconds);
    });
    const found = await Promise.race([look(giveUp.signal).catch(() => 'It cannot be reached.'), limit]);
    clearTimeout(timer);
    giveUp.abort();
    return parts.map((part) => [part, typeof found === 'string' ? found : (found[part] ?? null)]);
  };
  const lookAtAll = async (): Promise<ReadinessReport> => {
    const found = (await Promise.all(probes.map(lookAt))).flat();
    return {
      status: found.every(([, reason]) => reason === null) ? 'ready' : 'not_ready',
      checks: Object.fromEntries(
        found.map(([part, reason]) => [part, reason === null ? { status: 'ok' } : { status: 'failed', reason }] as const),
      ),
    };
  };

  return {
    stop() {
      stopping = true;
    },
    report() {
      if (stopping) return Promise.resolve(stopped);
      if (kept === null || now() - kept.at > keptMilliseconds) kept = { at: now(), report: lookAtAll() };
      return kept.report;
    },
  };
}
