import { AgentCallError } from '#client/agent-call-error.ts';
import type { ErrorName } from '#protocol/errors.ts';

/** The part of a mount's form that an error is about; null where it is about none of them. */
export function faultyPart(error: unknown): 'path' | 'connection' | null {
  if (!(error instanceof AgentCallError)) return null;
  if (aboutPath.some((one) => error.is(one))) return 'path';
  return error.is('already_exists') ? 'connection' : null;
}

const aboutPath = [
  'path_not_found',
  'path_not_absolute',
  'path_unreadable',
  'path_outside',
  'folders_overlap',
  'mount_unusable',
] as const satisfies readonly ErrorName[];
