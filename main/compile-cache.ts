import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import envPaths from 'env-paths';

/**
 * Keeps compiled modules for the next start, which then takes about half the time. In this user's own cache folder: a
 * shared temporary folder would let others plant code. Does nothing where the folder cannot be written.
 */
export function useCompileCache(): void {
  enableCompileCache(join(envPaths('longshore', { suffix: '' }).cache, 'compiled'));
}
