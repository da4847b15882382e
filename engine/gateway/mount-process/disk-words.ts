import { systemCode, wordsOf } from '../../errors.ts';

const reasons: Readonly<Record<string, (root: string) => string>> = {
  EROFS: (root) => `The disk of ${root} is read-only. Mount it for writing, or set the mount to read-only.`,
  EACCES: (root) => `The agent may not write to ${root}. Give its user the right to, or set the mount to read-only.`,
  EPERM: (root) => `The agent may not write to ${root}. Give its user the right to, or set the mount to read-only.`,
  ENOSPC: (root) => `The disk of ${root} is full. Make room on it.`,
  EDQUOT: (root) => `The agent's user has used up its share of the disk of ${root}. Make room on it, or raise the quota.`,
  ENOTCONN: (root) => `The drive of ${root} is not connected any more. Connect it again.`,
  ESTALE: (root) => `The drive of ${root} was exchanged at its server. Mount it again.`,
  EHOSTDOWN: (root) => `The server of ${root} does not answer.`,
};

/** Why a folder cannot be used, with what to do. */
export function wordsFor(root: string, cause: unknown): string {
  const code = systemCode(cause);
  return reasons[code]?.(root) ?? `The folder ${root} cannot be used${code === '' ? '' : ` (${code})`}: ${wordsOf(cause)}`;
}
