import { type Static, type TSchema, Type } from 'typebox';
import { DateTime, Id, Literals } from '../../schema.ts';
import { commonFields, downloadFields, portalUploadFields, teamUploadFields, watchFields } from './fields.ts';

/** An automation as it is made, changed and told: contract/agent.md §10. */

export const automationKinds = ['portal_upload', 'team_upload', 'portal_download', 'all_portals_download'] as const;
export type AutomationKind = (typeof automationKinds)[number];

export const PortalUploadAutomation = Type.Object({ ...commonFields, ...watchFields, ...portalUploadFields });
export type PortalUploadAutomation = Static<typeof PortalUploadAutomation>;

export const TeamUploadAutomation = Type.Object({ ...commonFields, ...watchFields, ...teamUploadFields });
export type TeamUploadAutomation = Static<typeof TeamUploadAutomation>;

export const PortalDownloadAutomation = Type.Object({ ...commonFields, ...downloadFields, portal_id: Id });
export type PortalDownloadAutomation = Static<typeof PortalDownloadAutomation>;

export const AllPortalsDownloadAutomation = Type.Object({ ...commonFields, ...downloadFields });
export type AllPortalsDownloadAutomation = Static<typeof AllPortalsDownloadAutomation>;

/** What a person chooses, by kind; the bodies that make an automation. */
export const automationBodies = {
  portal_upload: PortalUploadAutomation,
  team_upload: TeamUploadAutomation,
  portal_download: PortalDownloadAutomation,
  all_portals_download: AllPortalsDownloadAutomation,
} as const satisfies Record<AutomationKind, TSchema>;

type Fields = Readonly<Record<string, TSchema>>;

/** Shared by the reply, which has every field, and the update, where a default would change a field that is missing. */
function withoutDefaults<T extends Fields>(properties: T): T {
  const bare = Object.entries(properties).map(([name, schema]) => {
    const { default: _, ...rest } = schema as { default?: unknown };
    // A copy loses that a field need not be there, and a reply without it would not be written.
    return [name, Type.IsOptional(schema) ? Type.Optional(rest as TSchema) : rest];
  });
  return Object.fromEntries(bare) as T;
}

const allFields = withoutDefaults({
  ...commonFields,
  ...downloadFields,
  ...watchFields,
  ...portalUploadFields,
  ...teamUploadFields,
});

/** What `null` may take out: the fields that an automation need not have. */
const removable = [
  'priority',
  'due_at',
  'due_within_seconds',
  'include',
  'exclude',
  'not_ready',
  'marker',
  'schedule',
  'move_to',
  'package_name',
  'package_description',
  'subdomain',
  'portal_id',
  'service_url',
  'access_code',
  'form',
  'form_from',
  'subfolders',
  'since',
] as const satisfies readonly (keyof typeof allFields)[];

type Removable = Pick<typeof allFields, (typeof removable)[number]>;

/**
 * Accepts the fields of all kinds; a field that the automation's kind does not have is 400. Missing fields stay
 * unchanged; `null` takes out a field that need not be there.
 */
export const UpdateAutomation = Type.Partial(
  Type.Object({
    ...allFields,
    ...(Object.fromEntries(removable.map((name) => [name, Type.Union([allFields[name], Type.Null()])])) as {
      [Name in keyof Removable]: ReturnType<typeof Type.Union<[Removable[Name], ReturnType<typeof Type.Null>]>>;
    }),
  }),
);
export type UpdateAutomation = Static<typeof UpdateAutomation>;

/** An automation that was not saved, as an editor has it: any fields, held to those of its kind by the agent. */
export const DraftAutomation = Type.Object(
  {
    id: Type.Optional({ ...Id, description: 'Of one that is saved: what it has sent counts, and its access code where none is given.' }),
    kind: Literals(automationKinds),
    automation: Type.Partial(Type.Object(allFields)),
  },
  { title: 'DraftAutomation' },
);
export type DraftAutomation = Static<typeof DraftAutomation>;

export const automationStates = ['watching', 'working', 'resting', 'error', 'needs_you'] as const;

const recorded = {
  id: Id,
  state: Literals(automationStates, {
    description:
      '`watching`: nothing to do now; `working`: it sends or receives; `resting`: paused; `error`: it cannot work, and goes on by itself once it can; `needs_you`: a person has to do something.',
  }),
  message: Type.String({ description: 'What is wrong, in words; empty if nothing is.', examples: [''] }),
  waiting_for: Type.String({
    description: 'What it waits for, in words; empty if for nothing.',
    examples: ['A001.mov is still being written'],
  }),
  waiting_since: Type.Optional(DateTime),
  next_scan_at: Type.Optional({ ...DateTime, description: 'When it looks again unless something happens before.' }),
  last_run_at: Type.Optional(DateTime),
  counts: Type.Object(
    {
      sent: Type.Integer({ minimum: 0, description: 'Files that were sent, or packages that were received.' }),
      waiting: Type.Integer({ minimum: 0, description: 'What is there and not ready, or under way.' }),
      failed: Type.Integer({ minimum: 0, description: 'What ended without success, and is to be retried or forgotten.' }),
      questions: Type.Integer({ minimum: 0, description: 'Forms that a person has to complete.' }),
    },
    { examples: [{ sent: 12, waiting: 1, failed: 0, questions: 0 }] },
  ),
  created_at: DateTime,
  updated_at: DateTime,
};

/** The access code of a Portal is never told, only whether there is one. */
const { access_code: _, ...toldPortalUploadFields } = portalUploadFields;
const toldCode = { has_access_code: Type.Boolean({ description: 'Whether an access code is kept for its Portal.' }) };

const ofKind = <const Kind extends AutomationKind>(kind: Kind) => ({ ...recorded, kind: Literals([kind]) });

export const Automation = Type.Union(
  [
    Type.Object({
      ...ofKind('portal_upload'),
      ...withoutDefaults({ ...commonFields, ...watchFields, ...toldPortalUploadFields, ...toldCode }),
    }),
    Type.Object({ ...ofKind('team_upload'), ...withoutDefaults(TeamUploadAutomation.properties) }),
    Type.Object({ ...ofKind('portal_download'), ...withoutDefaults(PortalDownloadAutomation.properties) }),
    Type.Object({ ...ofKind('all_portals_download'), ...withoutDefaults(AllPortalsDownloadAutomation.properties) }),
  ],
  { title: 'Automation' },
);
export type Automation = Static<typeof Automation>;
