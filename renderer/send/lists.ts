/** The lines of a text, trimmed, without empty ones and repeats. */
export function linesOf(text: string): string[] {
  return unique(text.split(/\r?\n/));
}

/** E-mail addresses, parted by commas, semicolons, spaces or lines. */
export function addressesOf(text: string): string[] {
  return unique(text.split(/[\s,;]+/));
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => value.trim()).filter((value) => value !== ''))];
}

/** A package name for these paths: the one's own name, or the folder they share. POSIX and Windows paths. */
export function nameFor(paths: readonly string[]): string {
  const [first] = paths;
  if (first === undefined) return '';
  const parts = (path: string): string[] => path.split(/[\\/]+/).filter((part) => part !== '');
  return (paths.length === 1 ? parts(first).at(-1) : parts(first).at(-2)) ?? parts(first).at(-1) ?? '';
}

/** Whether a path is whole, on the agent's machine, whichever system that has. */
export function isAbsolute(path: string): boolean {
  return /^(\/|\\\\|[A-Za-z]:[\\/])/.test(path);
}
