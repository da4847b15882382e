import type { FilterRule } from '#protocol/hosted/filters.ts';

/** A filter as it is edited: its one rule, with a pattern on each line. */
export interface FilterDraft {
  readonly action: FilterRule['action'];
  readonly patterns: string;
}

/** Expressions for what is filtered most. */
export const readyPatterns = {
  video: '(?i)\\.(mov|mxf|mp4|m4v|mkv|avi|r3d|braw|ari|dng)$',
  audio: '(?i)\\.(wav|bwf|aif|aiff|mp3|m4a|flac)$',
  pictures: '(?i)\\.(jpe?g|png|tiff?|exr|dpx|psd|heic|webp)$',
  documents: '(?i)\\.(pdf|docx?|xlsx?|pptx?|txt|csv)$',
  hidden: '^\\.',
} as const;

/** The lines of a text that hold something, as they are: spaces may be part of a name. */
export const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '');

export function rulesOf({ action, patterns }: FilterDraft): FilterRule[] {
  const values = linesOf(patterns);
  return values.length === 0 ? [] : [{ action, criterion: 'file_name', operator: 'regex_match', values }];
}

export function draftOf(rules: readonly FilterRule[]): FilterDraft {
  const [rule] = rules;
  return { action: rule?.action ?? 'include', patterns: rule?.values.join('\n') ?? '' };
}

/** With another pattern, each of them once. */
export function withPattern(draft: FilterDraft, pattern: string): FilterDraft {
  const lines = linesOf(draft.patterns);
  return lines.includes(pattern) ? draft : { ...draft, patterns: [...lines, pattern].join('\n') };
}
