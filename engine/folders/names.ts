/** Returns a free name: the name itself, or the first of `name (2).ext`, `name (3).ext` … */
type Numbering = (name: string, isFree: (candidate: string) => boolean, key?: string) => string;

/**
 * Remembers the next number for each key (by default the name): with ten thousand files of one name, each would
 * otherwise try all lower numbers first. So no name may become free again between two calls.
 */
export function createNumbering(): Numbering {
  const next = new Map<string, number>();
  return (name, isFree, key = name) => {
    const first = next.get(key);
    if (first === undefined && isFree(name)) return name;
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    for (let number = first ?? 2; ; number++) {
      const candidate = `${stem} (${number})${extension}`;
      if (!isFree(candidate)) continue;
      next.set(key, number + 1);
      return candidate;
    }
  };
}

/** The same for one name alone. */
export function withNumber(name: string, isFree: (candidate: string) => boolean): string {
  return createNumbering()(name, isFree);
}

/** A name or path for a message: without characters that control a terminal or change the text direction. */
export function shownName(name: string): string {
  return name.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD').slice(0, 300);
}
