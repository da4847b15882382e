/** The page's own code did not come. Asked for again, it is loaded again. */
export class CodeMissing extends Error {
  override readonly name = 'CodeMissing';
}

/**
 * Loads once, whoever asks and how often. A load that fails is forgotten, so that the next one who asks begins anew.
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
