import type { Plugin } from 'vite';
import { limits } from '#protocol/limits.ts';

const imported = /import \{[^}]*\blimits\b[^}]*\} from '[^']*\/limits\.ts'/;
const used = /(?<![\w.$])limits\.(\w+)(?:\.(min|max|total|idle|fromOneTeam|fromAll)\b)?/g;

/** Puts each number of the contract where it is used: all limits as one object are more than a page has to load. */
export function inlineLimits(): Plugin {
  return {
    name: 'longshore-inline-limits',
    apply: 'build',
    enforce: 'pre',
    transform: (code) => (imported.test(code) ? { code: withNumbers(code), map: null } : null),
  };
}

export const withNumbers = (code: string): string =>
  code.replace(used, (text, name: string, part?: string) => {
    const found: unknown = limits[name as keyof typeof limits];
    const value = part === undefined ? found : (found as Readonly<Record<string, unknown>> | undefined)?.[part];
    return typeof value === 'number' ? `(${value})` : text;
  });
