import { useStatus } from '../session/queries.ts';
import { useSettings } from '../settings/queries.ts';

/** The agent's warnings that nobody has put away. None until it is known which those are. */
export function useOpenWarnings(): readonly string[] {
  const warnings = useStatus().data?.warnings ?? [];
  const settings = useSettings().data;
  return settings ? warnings.filter((warning) => !settings.dismissed_warnings.includes(warning)) : [];
}

/** As many as the agent keeps. */
const mostKept = 100;

/** What is kept once this one is put away, too. */
export const withDismissed = (before: readonly string[], warning: string): string[] => [...before, warning].slice(-mostKept);
