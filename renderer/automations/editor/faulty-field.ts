import { AgentCallError } from '#client/agent-call-error.ts';
import { type ErrorName, errorCatalogue, placesIn } from '#protocol/errors.ts';
import { type Draft, fieldNames } from './draft.ts';
import { sends } from './fields.ts';

/** The part of the editor that an error of the agent is about; null where it is about none. */
export function faultyField(error: unknown, draft: Draft): keyof Draft | null {
  if (!(error instanceof AgentCallError)) return null;
  if (error.is('invalid_request')) return namedField(error.message, draft);
  if (aboutPath.some((one) => error.is(one))) return folderIn(error, draft);
  if (error.is('already_exists')) return 'name';
  if (error.is('access_code_wrong')) return 'accessCode';
  if (error.is('session_is_nil')) return draft.kind === 'portal_upload' ? null : 'teamId';
  if (error.is('not_found')) return draft.kind === 'portal_upload' ? 'portal' : draft.kind === 'portal_download' ? 'portalId' : 'teamId';
  return null;
}

const aboutPath = [
  'path_not_found',
  'path_not_absolute',
  'path_unreadable',
  'path_outside',
  'folders_overlap',
] as const satisfies readonly ErrorName[];

/** Of `The field package_name cannot be used: …`, and of one inside it (`form_from.camera.pattern`). */
function namedField(message: string, draft: Draft): keyof Draft | null {
  const [, name = ''] = /\bfield ([a-z_]+)/i.exec(message) ?? [];
  if (name === 'portal_id') return draft.kind === 'portal_upload' ? 'portal' : 'portalId';
  const found = (Object.keys(fieldNames) as (keyof typeof fieldNames)[]).find((one) => fieldNames[one] === name);
  if (found) return found;
  if (/^.*\bpattern cannot be read/i.test(message)) return 'include';
  return /\bby subdomain\b/.test(message) ? 'portal' : null;
}

/** Which of the draft's folders the error names. */
function folderIn(error: AgentCallError, draft: Draft): keyof Draft {
  const own = sends(draft) ? 'folder' : 'dstFolder';
  const name = error.error;
  const { path, folder } = (name && placesIn(errorCatalogue[name].message, error.message)) ?? {};
  const named = path ?? folder;
  return named !== undefined && sends(draft) && draft.after === 'move' && named === draft.moveTo.trim() ? 'moveTo' : own;
}
