/**
 * The name of a field inside a body, as errors of both APIs write it: `recipients[2]`, `links[0].email`
 * (contract/conventions.md §3).
 */
export function fieldPath(steps: readonly string[]): string {
  return steps.reduce((text, step) => (/^\d+$/.test(step) ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`), '');
}

/** The steps of a JSON pointer, such as a validator's `instancePath`. */
export const pointerSteps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
