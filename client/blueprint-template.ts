import type { Blueprint, BlueprintTemplate } from '#protocol/schema.ts';

/** The blueprints of an answer, one a chunk: of a template at most `count` (contract/files-and-blueprints.md §4). */
export function expandBlueprints(answer: readonly Blueprint[] | BlueprintTemplate, count: number): readonly Blueprint[] {
  if (!('first_part' in answer)) return answer;
  const { first_part: first, last_part: last, url, ...rest } = answer;
  return Array.from({ length: Math.min(count, last - first + 1) }, (_, index) => ({
    ...rest,
    url: url.replace('{part_number}', String(first + index)),
  }));
}
