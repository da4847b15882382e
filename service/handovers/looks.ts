/** What was last seen of open files, those that were looked at longest ago first. */
export type SeenFiles = ReadonlyMap<string, { readonly bytes: number; readonly moves: boolean }>;

/** As many as an app moves at once. */
const maxKnown = 8;
const maxNew = 24;

/** Which of the open files are looked at now: some that were never, those that moved, and those that were not for longest. */
export function filesToLookAt(open: readonly string[], seen: SeenFiles): readonly string[] {
  const isOpen = new Set(open);
  const known = [...seen.keys()].filter((id) => isOpen.has(id));
  const moving = known.filter((id) => seen.get(id)!.moves);
  const others = known.filter((id) => !seen.get(id)!.moves);
  return [...open.filter((id) => !seen.has(id)).slice(0, maxNew), ...[...moving, ...others].slice(0, maxKnown)];
}
