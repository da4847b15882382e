/**
 * Caches compiled modules, so that the next start takes about half the time. The cache is in this user's own folder: in
 * a shared temporary folder others could plant code. Does nothing where the folder is not writable.
 */
export function useCompileCache(): void;
