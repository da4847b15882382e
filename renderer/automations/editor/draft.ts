import type { Automation, AutomationKind } from '#protocol/agent/automations/automation.ts';
import type { FormSource } from '#protocol/agent/automations/fields.ts';
import type { Answers } from '#protocol/form-rules.ts';
import type { FormValues } from '#protocol/hosted/forms.ts';
import { portalText } from '../../send/portal/portal-address.ts';
import type { Schedule } from '../../settings/schedule.ts';

export type Subfolder = 'portal' | 'sender' | 'date';

/** What stands in the editor: the fields of every kind, so that a change of kind loses nothing. Texts are as they were typed. */
export interface Draft {
  readonly kind: AutomationKind;
  /** Null while nobody has typed one: then it is made of the rest. */
  readonly name: string | null;
  readonly active: boolean;
  /** Empty: as any other. */
  readonly priority: '' | 'low' | 'high';
  /** Within how many hours each transfer should be over; empty for no matter. */
  readonly dueHours: string;

  readonly folder: string;
  readonly recursive: boolean;
  readonly existing: boolean;
  /** One pattern in each line. */
  readonly include: string;
  readonly exclude: string;
  readonly notReady: string;
  readonly settleSeconds: number;
  readonly packagePer: 'entry' | 'batch' | 'marker';
  readonly marker: string;
  readonly schedule: Schedule | null;
  readonly growing: boolean;
  readonly growingIdleSeconds: number;
  readonly byContent: boolean;
  readonly after: 'keep' | 'move' | 'delete';
  readonly moveTo: string;
  readonly packageName: string;
  readonly packageDescription: string;

  readonly teamId: string;
  readonly recipients: readonly string[];

  /** The Portal's address or its name. Empty where it is known by its id alone. */
  readonly portal: string;
  readonly accessCode: string;
  readonly sender: string;
  /** Answers that are the same for every package, by field name. */
  readonly answers: Answers;
  readonly sources: Readonly<Record<string, FormSource>>;

  readonly portalId: string;
  readonly dstFolder: string;
  readonly createPackageFolder: boolean;
  readonly subfolders: readonly Subfolder[];
  /** `now`: what comes from its making on; `all`: all that is there; else from this day on (`YYYY-MM-DD`). */
  readonly since: 'now' | 'all' | `${number}-${number}-${number}` | '';
  readonly afterwards: 'keep' | 'delete' | 'archive';
}

/** The names of the draft's fields in the API, where an error may name them. */
export const fieldNames = {
  name: 'name',
  priority: 'priority',
  folder: 'folder',
  include: 'include',
  exclude: 'exclude',
  notReady: 'not_ready',
  settleSeconds: 'settle_seconds',
  growing: 'growing',
  growingIdleSeconds: 'growing_idle_seconds',
  dueHours: 'due_within_seconds',
  packagePer: 'package_per',
  marker: 'marker',
  schedule: 'schedule',
  moveTo: 'move_to',
  packageName: 'package_name',
  packageDescription: 'package_description',
  teamId: 'team_id',
  recipients: 'recipients',
  portal: 'subdomain',
  accessCode: 'access_code',
  sender: 'sender',
  answers: 'form',
  sources: 'form_from',
  dstFolder: 'dst_folder',
  subfolders: 'subfolders',
  since: 'since',
} as const satisfies Partial<Record<keyof Draft, string>>;

/** What a new automation begins with. */
export function newDraft(kind: AutomationKind, known: { readonly teamId: string; readonly sender: string }): Draft {
  return {
    kind,
    name: null,
    active: true,
    priority: '',
    dueHours: '',
    folder: '',
    recursive: true,
    existing: false,
    include: '',
    exclude: '',
    notReady: '',
    settleSeconds: 30,
    packagePer: 'entry',
    marker: '',
    schedule: null,
    growing: false,
    growingIdleSeconds: 60,
    byContent: false,
    after: 'keep',
    moveTo: '',
    packageName: '',
    packageDescription: '',
    teamId: known.teamId,
    recipients: [],
    portal: '',
    accessCode: '',
    sender: known.sender,
    answers: {},
    sources: {},
    portalId: '',
    dstFolder: '',
    createPackageFolder: true,
    subfolders: [],
    since: 'now',
    afterwards: 'keep',
  };
}

/** Earlier than any package: all that is there. */
export const beginningOfTime = '2000-01-01T00:00:00.000Z';

/** An automation as it is changed. */
export function draftOf(automation: Automation): Draft {
  const base = newDraft(automation.kind, { teamId: '', sender: '' });
  const common = {
    ...base,
    name: automation.name,
    active: automation.active,
    priority: automation.priority === 'normal' ? '' : (automation.priority ?? ''),
    dueHours: automation.due_within_seconds === undefined ? '' : String(automation.due_within_seconds / 3_600),
  } as const;
  switch (automation.kind) {
    case 'team_upload':
      return { ...common, ...watched(automation), teamId: automation.team_id, recipients: automation.recipients };
    case 'portal_upload': {
      const { subdomain, service_url: service = null } = automation;
      return {
        ...common,
        ...watched(automation),
        portal: subdomain === undefined ? '' : portalText({ service, subdomain }),
        portalId: automation.portal_id ?? '',
        sender: automation.sender,
        answers: answersOf(automation.form ?? {}),
        sources: automation.form_from ?? {},
      };
    }
    case 'portal_download':
      return { ...common, ...received(automation), portalId: automation.portal_id };
    case 'all_portals_download':
      return { ...common, ...received(automation) };
  }
}

type Upload = Extract<Automation, { kind: 'team_upload' | 'portal_upload' }>;
type Download = Extract<Automation, { kind: 'portal_download' | 'all_portals_download' }>;

const lines = (patterns: readonly string[] | undefined): string => (patterns ?? []).join('\n');

const watched = (of: Upload): Partial<Draft> => ({
  folder: of.folder,
  recursive: of.recursive,
  existing: of.existing,
  include: lines(of.include),
  exclude: lines(of.exclude),
  notReady: lines(of.not_ready),
  settleSeconds: of.settle_seconds,
  packagePer: of.package_per,
  marker: of.marker ?? '',
  schedule: of.schedule ?? null,
  growing: of.growing,
  growingIdleSeconds: of.growing_idle_seconds,
  byContent: of.by_content,
  after: of.after,
  moveTo: of.move_to ?? '',
  packageName: of.package_name ?? '',
  packageDescription: of.package_description ?? '',
});

const received = (of: Download): Partial<Draft> => ({
  teamId: of.team_id,
  dstFolder: of.dst_folder,
  createPackageFolder: of.create_package_folder,
  subfolders: of.subfolders ?? [],
  include: lines(of.include),
  exclude: lines(of.exclude),
  since: of.since === undefined ? 'now' : of.since === beginningOfTime ? 'all' : (localDay(of.since) as Draft['since']),
  afterwards: of.afterwards,
});

const answersOf = (values: FormValues): Answers =>
  Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, typeof value === 'number' ? String(value) : value]));

/** The day on which this moment falls here, as a field of the type `date` has it. */
export function localDay(iso: string): string {
  const at = new Date(iso);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}
