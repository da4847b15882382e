import type { TeamTopic } from '#protocol/hosted/team-events.ts';

/** What was told of a Team. */
export interface Told {
  readonly what: TeamTopic;
  readonly ids: readonly string[];
}

/** What this process was told in the last minute of any Team: for streams of pages that began to load before. */
export interface TeamRecall {
  add(teamId: string, told: Told): void;
  /** All that was told since then, by `clock`; null where some of it may be missing. */
  since(teamId: string, moment: number): readonly Told[] | null;
  /** Messages before now may have been lost. */
  reset(): void;
}

interface RecallRules {
  /** Less than a watch lasts. */
  readonly milliseconds: number;
  /** Messages and ids of all Teams together; beyond, the oldest are forgotten. */
  readonly most: number;
  readonly clock?: () => number;
}

interface Entry {
  readonly at: number;
  readonly teamId: string;
  readonly told: Told;
}

const sizeOf = ({ told }: Entry): number => 1 + told.ids.length;

export function createTeamRecall({ milliseconds, most, clock = () => performance.now() }: RecallRules): TeamRecall {
  let entries: Entry[] = [];
  /** How many of the first entries are forgotten. */
  let gone = 0;
  let size = 0;
  /** Since when nothing is missing. */
  let from = Number.POSITIVE_INFINITY;

  function forget(isOver: (entry: Entry) => boolean): void {
    for (let entry = entries[gone]; entry && isOver(entry); entry = entries[gone]) {
      size -= sizeOf(entry);
      from = Math.max(from, entry.at + 1);
      gone += 1;
    }
    if (gone * 2 < entries.length) return;
    entries = entries.slice(gone);
    gone = 0;
  }

  return {
    add(teamId, told) {
      const entry = { at: clock(), teamId, told };
      entries.push(entry);
      size += sizeOf(entry);
      forget(({ at }) => at < entry.at - milliseconds || size > most);
    },
    since(teamId, moment) {
      if (moment < Math.max(from, clock() - milliseconds)) return null;
      return entries.slice(gone).flatMap((entry) => (entry.teamId === teamId && entry.at >= moment ? [entry.told] : []));
    },
    reset() {
      entries = [];
      gone = 0;
      size = 0;
      from = clock();
    },
  };
}
