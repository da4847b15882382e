/** `take.mov` and 2 → `take (2).mov`; a name whose only dot is its first character gets the number at its end. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const at = dot > 0 ? dot : name.length;
  return `${name.slice(0, at)} (${number})${name.slice(at)}`;
}

/** Returns a free name: the name itself, or the first of `name (2).ext`, `name (3).ext` … */
type Numbering = (name: string, isFree: (candidate: string) => boolean, key?: string) => string;

/**
 * Remembers the next number for each key (by default the name): with ten thousand files of one name, or of one that differs
 * only in case, each would otherwise try all lower numbers first. So no name may become free again between two calls.
 */
export function createNumbering(): Numbering {
  const next = new Map<string, number>();
  return (name, isFree, key = name) => {
    const first = next.get(key);
    if (first === undefined && isFree(name)) return name;
    for (let number = first ?? 2; ; number++) {
      const candidate = numbered(name, number);
      if (!isFree(candidate)) continue;
      next.set(key, number + 1);
      return candidate;
    }
  };
}
