import type { FolderListing } from '#protocol/agent/folders.ts';
import type { DroppedEntry, FoundDropped, PathsMeasure, StartFolder } from '#protocol/agent/paths.ts';
import { AgentError } from '#protocol/errors.ts';

/** What the fake agent's answers about folders need of it. */
interface FakeFolderStore {
  readonly folders: readonly FolderListing[];
  readonly settings: { readonly allowed_roots: readonly string[] };
  /** Paths that are not there. */
  readonly missing: readonly string[];
  /** Where something lies that was dropped. */
  readonly found: (entry: DroppedEntry) => string | null;
}

/** Answers the calls about folders of the agent's machine; `undefined` where the call is none of these. */
export function answerFolders(
  store: FakeFolderStore,
  call: string,
  query: URLSearchParams,
  body: unknown,
): { readonly answer: unknown } | undefined {
  switch (call) {
    case 'GET /api/v1/folders': {
      const wanted = query.get('path');
      const folder = store.folders.find(({ path }) => wanted === null || path === wanted);
      if (!folder) throw new AgentError('path_not_found', { path: wanted ?? '/' });
      return { answer: folder };
    }
    case 'GET /api/v1/folders/places':
      return { answer: placesOf(store.settings.allowed_roots) };
    case 'POST /api/v1/folders/measure':
      return { answer: measured((body as { paths: string[] }).paths, store.missing) };
    case 'POST /api/v1/folders/find': {
      const { entries } = body as { entries: DroppedEntry[] };
      return { answer: { paths: entries.map(store.found), complete: true } satisfies FoundDropped };
    }
    default:
      return undefined;
  }
}

function placesOf(allowed: readonly string[]): StartFolder[] {
  const place = (path: string, kind: StartFolder['kind']): StartFolder => ({
    path,
    kind,
    allowed: allowed.some((root) => path.startsWith(root)),
  });
  return [
    place('/home/mia', 'home'),
    { ...place('/media/CARD_7', 'volume'), free_bytes: 64_000_000_000 },
    { ...place('/mnt/archive', 'volume'), free_bytes: 4_100_000_000_000 },
    place('/home/mia/Dailies', 'recent'),
  ];
}

/** Names with an ending are files. */
function measured(paths: readonly string[], missing: readonly string[]): PathsMeasure {
  const all = paths.map((path): PathsMeasure['paths'][number] => {
    if (missing.includes(path)) return { path, kind: 'none', files: 0, bytes: 0, error: new AgentError('path_not_found', { path }).body };
    const file = /\.\w+$/.test(path);
    return { path, kind: file ? 'file' : 'directory', files: file ? 1 : 86, bytes: 2_400_000_000 * (file ? 1 : 1_000), error: null };
  });
  const sum = (of: 'files' | 'bytes') => all.reduce((total, one) => total + one[of], 0);
  return { paths: all, files: sum('files'), bytes: sum('bytes'), unreadable: 0, complete: true, seconds: 840 };
}
