import type { Automation, AutomationKind, UpdateAutomation } from '#protocol/agent/automations/automation.ts';
import type { FormSource } from '#protocol/agent/automations/fields.ts';
import { isEmailAddress } from '#protocol/email.ts';
import type { Answer } from '#protocol/form-rules.ts';
import type { FormValues } from '#protocol/hosted/forms.ts';
import { nameFrom } from '#protocol/names.ts';
import { baseName, isAbsolute } from '../../paths/path-text.ts';
import { portalAddressOf } from '../../send/portal/portal-address.ts';
import { beginningOfTime, type Draft, draftOf } from './draft.ts';

/** The API's fields of an automation, made of what stands in the editor. */
export type Fields = Readonly<Record<string, unknown>>;

export const sends = ({ kind }: Pick<Draft, 'kind'>): boolean => kind === 'team_upload' || kind === 'portal_upload';

/** Patterns of a text with one in each line. */
export const patternsIn = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ),
];

/** The name that an automation has without a typed one: that of its folder. */
export const impliedName = (draft: Draft): string => {
  const folder = (sends(draft) ? draft.folder : draft.dstFolder).trim();
  return folder === '' ? '' : nameFrom(baseName(folder), '');
};

/** The fields of the draft's kind, without those that were left empty. */
export function fieldsOf(draft: Draft): Fields {
  const common = {
    name: (draft.name ?? impliedName(draft)).trim(),
    active: draft.active,
    ...(draft.priority === '' ? {} : { priority: draft.priority }),
    ...(draft.dueHours.trim() === '' ? {} : { due_within_seconds: Math.round(Number(draft.dueHours) * 3_600) }),
  };
  switch (draft.kind) {
    case 'team_upload':
      return { ...common, ...watched(draft), team_id: draft.teamId, recipients: [...draft.recipients] };
    case 'portal_upload':
      return { ...common, ...watched(draft), ...portalOf(draft), sender: draft.sender.trim(), ...formOf(draft) };
    case 'portal_download':
      return { ...common, ...received(draft), portal_id: draft.portalId };
    case 'all_portals_download':
      return { ...common, ...received(draft) };
  }
}

const text = (name: string, value: string): Fields => (value.trim() === '' ? {} : { [name]: value.trim() });
const patterns = (name: string, value: string): Fields => (patternsIn(value).length === 0 ? {} : { [name]: patternsIn(value) });

const watched = (draft: Draft): Fields => ({
  folder: draft.folder.trim(),
  recursive: draft.recursive,
  existing: draft.existing,
  ...patterns('include', draft.include),
  ...patterns('exclude', draft.exclude),
  ...patterns('not_ready', draft.notReady),
  settle_seconds: draft.settleSeconds,
  package_per: draft.packagePer,
  ...(draft.packagePer === 'marker' ? text('marker', draft.marker) : {}),
  ...(draft.schedule ? { schedule: draft.schedule } : {}),
  // A marker says that a folder is whole, so nothing in it grows.
  growing: draft.growing && draft.packagePer !== 'marker',
  growing_idle_seconds: draft.growingIdleSeconds,
  by_content: draft.byContent,
  after: draft.after,
  ...(draft.after === 'move' ? text('move_to', draft.moveTo) : {}),
  ...text('package_name', draft.packageName),
  ...text('package_description', draft.packageDescription),
});

function portalOf({ portal, portalId, accessCode }: Draft): Fields {
  const address = portalAddressOf(portal);
  const code = text('access_code', accessCode);
  if (address) return { subdomain: address.subdomain, ...(address.service === null ? {} : { service_url: address.service }), ...code };
  return portal.trim() === '' && portalId !== '' ? { portal_id: portalId, ...code } : code;
}

function formOf({ answers, sources }: Draft): Fields {
  const form: FormValues = Object.fromEntries(
    Object.entries(answers).flatMap(([name, answer]) => (isEmpty(answer) ? [] : [[name, { value: plainValue(answer) }]])),
  );
  const complete = Object.fromEntries(Object.entries(sources).filter(([, source]) => isComplete(source)));
  return {
    ...(Object.keys(form).length > 0 ? { form } : {}),
    ...(Object.keys(complete).length > 0 ? { form_from: complete } : {}),
  };
}

/** A source that lacks something is not sent: it would be refused, and with it the whole dry run. */
const isComplete = (source: FormSource): boolean =>
  source.source === 'folder' || (source.source === 'name' ? source.pattern : source.file && source.key).trim() !== '';

const isEmpty = (answer: Answer): boolean =>
  typeof answer === 'string' ? answer.trim() === '' : typeof answer === 'boolean' ? !answer : answer.length === 0;
const plainValue = (answer: Answer): string | boolean | string[] =>
  typeof answer === 'string' ? answer.trim() : typeof answer === 'boolean' ? answer : [...answer];

const received = (draft: Draft): Fields => ({
  team_id: draft.teamId,
  dst_folder: draft.dstFolder.trim(),
  create_package_folder: draft.createPackageFolder,
  ...(draft.subfolders.length > 0 ? { subfolders: [...draft.subfolders] } : {}),
  ...patterns('include', draft.include),
  ...patterns('exclude', draft.exclude),
  ...sinceOf(draft.since),
  afterwards: draft.afterwards,
});

/** A day begins at midnight here. */
const sinceOf = (since: Draft['since']): Fields =>
  since === 'now' || since === '' ? {} : { since: since === 'all' ? beginningOfTime : new Date(`${since}T00:00:00`).toISOString() };

/**
 * What differs from an automation as it is; `null` takes a field out. Empty where nothing does. The access code, which is
 * never told, is changed by typing one.
 */
export function changesOf(automation: Automation, draft: Draft): UpdateAutomation {
  const before = fieldsOf(draftOf(automation));
  const after = fieldsOf(draft);
  const changed = Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  const removed = Object.keys(before).filter((name) => !(name in after));
  return { ...Object.fromEntries(changed), ...Object.fromEntries(removed.map((name) => [name, null])) } as UpdateAutomation;
}

/** A field of the draft, and what is wrong with it: a key of the editor's messages. */
export type Problem = 'needed' | 'partial' | 'portalBad' | 'emailBad' | 'dayBad' | 'sourceLacks' | 'hoursBad';
export type Problems = Readonly<Partial<Record<keyof Draft, Problem>>>;

/** What has to be mended before the agent can be asked. */
export function problemsOf(draft: Draft): Problems {
  const path = (value: string): Problem | undefined => (value.trim() === '' ? 'needed' : isAbsolute(value.trim()) ? undefined : 'partial');
  const all: Partial<Record<keyof Draft, Problem | undefined>> = {
    name: draft.name?.trim() === '' ? 'needed' : undefined,
    dueHours: isHours(draft.dueHours) ? undefined : 'hoursBad',
    ...(sends(draft)
      ? { folder: path(draft.folder), moveTo: draft.after === 'move' ? path(draft.moveTo) : undefined }
      : { dstFolder: path(draft.dstFolder), since: draft.since === '' ? 'dayBad' : undefined }),
    ...(draft.kind === 'portal_upload'
      ? {
          portal: portalProblem(draft),
          sender: isEmailAddress(draft.sender.trim()) ? undefined : 'emailBad',
          sources: Object.values(draft.sources).every(isComplete) ? undefined : 'sourceLacks',
        }
      : { teamId: draft.teamId === '' ? 'needed' : undefined }),
    ...(draft.kind === 'portal_download' ? { portalId: draft.portalId === '' ? 'needed' : undefined } : {}),
  };
  return Object.fromEntries(Object.entries(all).filter(([, problem]) => problem !== undefined)) as Problems;
}

/** Empty, or between a second and the year that the agent takes. */
const isHours = (typed: string): boolean => typed.trim() === '' || (Number(typed) * 3_600 >= 1 && Number(typed) <= 366 * 24);

function portalProblem({ portal, portalId }: Draft): Problem | undefined {
  if (portal.trim() === '') return portalId === '' ? 'needed' : undefined;
  return portalAddressOf(portal) ? undefined : 'portalBad';
}

export const createCalls = {
  team_upload: 'createTeamUploadAutomation',
  portal_upload: 'createPortalUploadAutomation',
  portal_download: 'createPortalDownloadAutomation',
  all_portals_download: 'createAllPortalsDownloadAutomation',
} as const satisfies Record<AutomationKind, string>;
