import type { ConnectionCheck, ConnectionCheckEvent } from '#protocol/hosted/connections.ts';

type StepResult = ConnectionCheck['steps'][number];

export interface ShownStep {
  readonly step: StepResult['step'];
  /** Null while it is under way. */
  readonly result: StepResult | null;
}

/** What is tried in one folder. */
interface ShownFolder {
  /** Empty for the root. */
  readonly folder: string;
  readonly steps: readonly ShownStep[];
}

/** How far the check of a connection is. */
export interface CheckProgress {
  /** In the order in which they are tried. */
  readonly folders: readonly ShownFolder[];
  /** Null until it has ended. */
  readonly check: ConnectionCheck | null;
}

export const newProgress: CheckProgress = { folders: [], check: null };

/** The progress after one more event (docs/contract/connections.md §6). */
export function withEvent({ folders, check }: CheckProgress, event: ConnectionCheckEvent): CheckProgress {
  if (event.type === 'ended') return { folders, check: event.check };
  const { folder, step } = event;
  const result = event.type === 'step_ended' ? { step, ok: event.ok, message: event.message } : null;
  const before = folders.at(-1);
  if (before?.folder !== folder) return { folders: [...folders, { folder, steps: [{ step, result }] }], check };
  const last = before.steps.at(-1);
  const others = last && last.step === step && !last.result ? before.steps.slice(0, -1) : before.steps;
  return { folders: [...folders.slice(0, -1), { folder, steps: [...others, { step, result }] }], check };
}
