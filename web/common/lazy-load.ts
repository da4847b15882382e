/** A lazily loaded part of the page's code could not be loaded. The next call tries again. */
export class CodeMissing extends Error {
  override readonly name = 'CodeMissing';
}

/**
 * Loads once for all callers. A failed load is not cached, so the next caller tries again.
 *
 * @throws CodeMissing
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= load().catch((cause: unknown) => {
      loading = null;
      throw new CodeMissing('A part of this page could not be loaded.', { cause });
    });
    return loading;
  };
}
