import type { FilterRule } from '#protocol/hosted/filters.ts';
import { limits } from '#protocol/limits.ts';
import { checkPattern } from './pattern.ts';

/** Thrown for invalid filter rules. `message` names the rule and the value, and says what is wrong with it. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
  readonly code = 'filter_unusable';
  /** Whether a retry can help. */
  readonly retryable = false;
}

/** Whether a file of this name (without its folders) is to be transferred. Its time is that of `steps` for each character. */
export type FileFilter = ((fileName: string) => boolean) & { readonly steps: number };

/**
 * Compiles a filter's rules (contract/filters.md §2): all of them must hold, and a rule holds if one of its values matches
 * the name (`include`) or none does (`exclude`). A value matches if it does anywhere in the name, cased as written,
 * unless it says otherwise (`^`, `$`, `(?i)`). Names are compared in NFC, since macOS sends them decomposed.
 *
 * Matching takes time linear in the name's length whatever the values are, and all of a filter's values together
 * are at most `limits.filterSteps` steps.
 *
 * Errors: `FilterError`.
 */
export function compileFilter(rules: readonly FilterRule[]): FileFilter {
  if (rules.length < 1 || rules.length > limits.rulesPerFilter) {
    throw new FilterError(`rules: a filter has 1 to ${limits.rulesPerFilter} rules.`);
  }
  const seen = new Set<string>();
  let budget: number = limits.filterSteps;
  const compiled = rules.map(({ action, criterion, values }, i) => {
    if (seen.has(criterion)) throw new FilterError(`rules[${i}].criterion: another rule has ${criterion} too; put its values in one rule.`);
    seen.add(criterion);
    if (values.length === 0) throw new FilterError(`rules[${i}].values must not be empty.`);
    const patterns = values.map((value, j) => {
      const checked = checkPattern(value, budget);
      if (!checked.ok) throw new FilterError(`rules[${i}].values[${j}] ${checked.problem}.`);
      budget -= checked.steps;
      return checked.pattern;
    });
    return { wanted: action === 'include', patterns };
  });
  const goes = (fileName: string): boolean => {
    const name = fileName.normalize('NFC');
    return compiled.every(({ wanted, patterns }) => patterns.some((pattern) => pattern.test(name)) === wanted);
  };
  return Object.assign(goes, { steps: limits.filterSteps - budget });
}
