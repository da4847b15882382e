import type { Engine } from '#engine/engine.ts';
import type { AgentRouteName } from '#protocol/agent/routes.ts';
import { ApiError } from '#protocol/errors.ts';

/** By route: which fields of a body are paths of this machine. A field holds one path or a list. */
export const pathFields: Partial<Record<AgentRouteName, readonly string[]>> = {
  createUpload: ['paths'],
  createPortalUpload: ['paths'],
  addUploadFiles: ['paths'],
  measurePaths: ['paths'],
  createDownload: ['dst_folder'],
  matchHandover: ['paths'],
  continueHandover: ['paths', 'dst_folder'],
  changeTransfer: ['dst_folder'],
  changeUpload: ['dst_folder'],
  changeDownload: ['dst_folder'],
  createPortalUploadAutomation: ['folder', 'move_to'],
  createTeamUploadAutomation: ['folder', 'move_to'],
  createPortalDownloadAutomation: ['dst_folder'],
  createAllPortalsDownloadAutomation: ['dst_folder'],
  updateAutomation: ['folder', 'move_to', 'dst_folder'],
  createMount: ['path'],
  updateMount: ['path'],
  updateSettings: ['download_folder'],
};

/** The paths of this machine in a call's body. */
export function pathsIn(name: string, body: unknown): string[] {
  const given = (body ?? {}) as Readonly<Record<string, unknown>>;
  return (pathFields[name as AgentRouteName] ?? []).flatMap((field) => [given[field] ?? []].flat().map(String));
}

/**
 * Restricts a caller from another machine to the allowed folders (docs/decisions/0027). `path_outside` names the first
 * path outside; `not_allowed` means that this caller may not change the list of folders.
 */
export function checkPathScope(name: string, body: unknown, folders: Engine['folders']): void {
  const given = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (name === 'updateSettings' && given['allowed_roots'] !== undefined) {
    throw new ApiError('not_allowed', {
      detail: 'The allowed folders are chosen at the agent’s own machine: on its page there, or where it is started.',
    });
  }
  for (const field of pathFields[name as AgentRouteName] ?? []) {
    for (const path of [given[field] ?? []].flat()) folders.check(String(path), { sends: field === 'paths' });
  }
}

/** Calls that tell names of files in the folders of an automation, or make another one of it. */
const automationCalls: ReadonlySet<string> = new Set<AgentRouteName>([
  'dryRunAutomation',
  'duplicateAutomation',
  'listAutomationResults',
  'listAutomationLedger',
  'forgetAutomationEntries',
  'listAutomationQuestions',
  'answerAutomationQuestion',
]);

/** The same for the folders of the automation that a call names: `path_outside`, or `not_found` where there is none. */
export async function checkAutomationScope(
  name: string,
  params: unknown,
  { automations, folders }: Pick<Engine, 'automations' | 'folders'>,
): Promise<void> {
  if (!automationCalls.has(name)) return;
  const automation: Readonly<Record<string, unknown>> = { ...automations.get((params as { readonly id: string }).id) };
  const paths = ['folder', 'move_to', 'dst_folder'].map((field) => automation[field]).filter((path) => typeof path === 'string');
  await folders.answer(paths);
  for (const path of paths) folders.check(path);
}
