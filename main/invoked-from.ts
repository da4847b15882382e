import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = dirname(fileURLToPath(new URL('.', import.meta.url)));

/**
 * Changes to the folder in which `npm run` was typed. npm runs a script in the project's folder, so a relative path
 * from the person would be resolved in the wrong folder.
 */
export function returnToInvokingFolder(env: NodeJS.ProcessEnv = process.env, folder: string = project): void {
  const typedIn = env['INIT_CWD'];
  // INIT_CWD is inherited by child processes: a program started by npm may have started this one in another folder.
  if (!typedIn || env['npm_lifecycle_event'] === undefined || process.cwd() !== folder) return;
  if (existsSync(typedIn)) process.chdir(typedIn);
}
