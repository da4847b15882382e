import { join } from 'node:path';
import { AgentError } from '#protocol/errors.ts';

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
