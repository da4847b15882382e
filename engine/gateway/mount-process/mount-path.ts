import { join } from 'node:path';
import { AgentError } from '#protocol/errors.ts';
import type { Collect } from './messages.ts';

/**
 * The path on disk of one below a mount's root, with `/`. Whoever uses it follows no link out: `path_outside` here is for
 * what no link is needed for.
 */
export function pathInMount(root: string, path: string): string {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  if (steps.some((step) => step === '..' || step.includes('\0') || (process.platform === 'win32' && /[\\:]/.test(step)))) {
    throw new AgentError('path_outside', { path, roots: root });
  }
  return join(root, ...steps);
}

/** The connection says which folders files may come from; the service has looked, and the storage's owner looks again. */
export function checkSources({ files, folders }: Collect): void {
  if (folders.length === 0) return;
  const steps = (path: string): string =>
    `${path
      .split('/')
      .filter((step) => step !== '' && step !== '.')
      .join('/')}/`;
  const allowed = folders.map(steps);
  const outside = files.find(({ id }) => !allowed.some((folder) => folder === '/' || steps(id).startsWith(folder)));
  if (outside) throw new AgentError('path_outside', { path: outside.id, roots: folders.join(', ') });
}
