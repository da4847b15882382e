import { type Static, Type } from 'typebox';
import { FormValues } from '../hosted/forms.ts';
import { limits } from '../limits.ts';
import { defineRoutes } from '../route.ts';
import { Bytes, DateTime, Email, Id, Literals, Name, Text } from '../schema.ts';
import { portalAddress } from './portal-uploads.ts';
import { LocalPath, Priority } from './transfers.ts';

/** Folders that are uploaded automatically, and Portals that are downloaded automatically: contract/agent.md §10. */

/** Shell-style patterns, matched against the path inside the watched folder. */
const Patterns = Type.Array(Type.String({ minLength: 1, maxLength: 1_024 }), { maxItems: 100, examples: [['*.mov']] });

const always = {
  name: Name,
  active: Type.Boolean({ description: 'Whether it works or rests.' }),
  priority: Type.Optional(Priority),
};

const watching = {
  folder: { ...LocalPath, description: 'The folder that is watched.' },
  include: Type.Optional({ ...Patterns, description: 'Only what one of these patterns matches; without any, everything.' }),
  exclude: Type.Optional(Patterns),
  settle_seconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 30,
    description: 'How long size, time and identity of a file must stay the same before it is sent.',
  }),
  package_per: Literals(['entry', 'batch'], {
    default: 'entry',
    description: '`entry`: one package for each file or folder right under the watched one; `batch`: one for all that is ready at once.',
  }),
  existing: Type.Boolean({ default: false, description: 'Whether what lies there at the start is sent too.' }),
  after: Literals(['keep', 'move', 'delete'], { default: 'keep', description: 'What becomes of files that were sent and finalized.' }),
  move_to: Type.Optional({ ...LocalPath, description: 'Where `move` puts them.' }),
  package_name: Type.Optional({ ...Name, description: "May hold `{name}`, `{date}` and `{time}`. Without it, the entry's name." }),
  package_description: Type.Optional(Text),
};

const receiving = {
  team_id: Id,
  dst_folder: { ...LocalPath, description: 'The folder that receives the packages.' },
  create_package_folder: Type.Boolean({ default: true }),
  since: Type.Optional({ ...DateTime, description: 'Packages finalized before are left alone. Without it, those before its making.' }),
};

const PortalUploadAutomation = Type.Object({
  ...always,
  ...watching,
  ...portalAddress,
  sender: Email,
  form: Type.Optional(FormValues),
});
const TeamUploadAutomation = Type.Object({
  ...always,
  ...watching,
  team_id: Id,
  recipients: Type.Array(Email, { maxItems: limits.recipients }),
});
const PortalDownloadAutomation = Type.Object({ ...always, ...receiving, portal_id: Id });
const AllPortalsDownloadAutomation = Type.Object({ ...always, ...receiving });

/** Accepts the fields of all kinds; a field that the automation's kind does not have is 400. Missing fields stay unchanged. */
const UpdateAutomation = Type.Partial(
  Type.Object(
    withoutDefaults({
      ...AllPortalsDownloadAutomation.properties,
      ...PortalDownloadAutomation.properties,
      ...PortalUploadAutomation.properties,
      ...TeamUploadAutomation.properties,
    }),
  ),
);

/** Shared by the reply, which has every field, and the update, where a default would change a field that is missing. */
function withoutDefaults<T extends Record<string, object>>(properties: T): T {
  const bare = Object.entries(properties).map(([name, schema]) => {
    const { default: _, ...rest } = schema as { default?: unknown };
    return [name, rest];
  });
  return Object.fromEntries(bare) as T;
}

const recorded = {
  id: Id,
  state: Literals(['watching', 'working', 'resting', 'error']),
  message: Type.String({ description: 'What it waits for or what is wrong, in words; empty if nothing is.', examples: [''] }),
  last_run_at: DateTime,
  created_at: DateTime,
  updated_at: DateTime,
};

export const Automation = Type.Union(
  [
    Type.Object({ ...recorded, kind: Literals(['portal_upload']), ...withoutDefaults(PortalUploadAutomation.properties) }),
    Type.Object({ ...recorded, kind: Literals(['team_upload']), ...withoutDefaults(TeamUploadAutomation.properties) }),
    Type.Object({ ...recorded, kind: Literals(['portal_download']), ...withoutDefaults(PortalDownloadAutomation.properties) }),
    Type.Object({ ...recorded, kind: Literals(['all_portals_download']), ...withoutDefaults(AllPortalsDownloadAutomation.properties) }),
  ],
  { title: 'Automation' },
);
export type Automation = Static<typeof Automation>;

const DryRun = Type.Object(
  {
    packages: Type.Array(
      Type.Object({ name: Type.String(), files: Type.Integer({ minimum: 0 }), total_bytes: Bytes, paths: Type.Array(Type.String()) }),
    ),
    skipped: Type.Array(Type.Object({ path: Type.String(), reason: Type.String() })),
    truncated: Type.Boolean({ description: 'Whether there is more than is shown.' }),
  },
  { title: 'DryRun' },
);

const AutomationParams = Type.Object({ id: Id });
const common = { tag: 'Automations', credentials: ['none'] } as const;
const made = { status: 201, body: Automation } as const;
const uploadErrors = ['session_is_nil', 'path_not_found', 'path_not_absolute', 'path_unreadable', 'path_outside'] as const;

export const automationRoutes = defineRoutes({
  listAutomations: {
    ...common,
    method: 'GET',
    path: '/api/v1/automations',
    summary: 'Lists the automations.',
    reply: { status: 200, body: Type.Array(Automation) },
  },
  createPortalUploadAutomation: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/portal_upload',
    summary: 'Watches a folder and sends what appears in it through a Portal. Needs no session.',
    body: PortalUploadAutomation,
    reply: made,
    errors: [
      'path_not_found',
      'path_not_absolute',
      'path_unreadable',
      'path_outside',
      'service_unreachable',
      'not_found',
      'access_code_wrong',
    ],
    example: { name: 'Camera cart', active: true, folder: '/media/cart', subdomain: 'northlight', sender: 'mia@example.com' },
  },
  createTeamUploadAutomation: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/team_upload',
    summary: 'Watches a folder and sends what appears in it to a Team.',
    body: TeamUploadAutomation,
    reply: made,
    errors: uploadErrors,
    example: {
      name: 'Renders',
      active: true,
      folder: '/media/renders',
      team_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
      recipients: ['post@example.com'],
    },
  },
  createPortalDownloadAutomation: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/portal_download',
    summary: 'Downloads every package that comes in through a Portal.',
    body: PortalDownloadAutomation,
    reply: made,
    errors: [...uploadErrors, 'not_found'],
    example: {
      name: 'Northlight in',
      active: true,
      team_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
      portal_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1c',
      dst_folder: '/media/incoming',
    },
  },
  createAllPortalsDownloadAutomation: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/all_portals_download',
    summary: 'Downloads every package that comes in through any Portal of a Team.',
    body: AllPortalsDownloadAutomation,
    reply: made,
    errors: uploadErrors,
    example: { name: 'All in', active: true, team_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', dst_folder: '/media/incoming' },
  },
  getAutomation: {
    ...common,
    method: 'GET',
    path: '/api/v1/automations/{id}',
    summary: 'Reads an automation.',
    params: AutomationParams,
    reply: { status: 200, body: Automation },
    errors: ['not_found'],
  },
  updateAutomation: {
    ...common,
    method: 'PUT',
    path: '/api/v1/automations/{id}',
    summary: 'Changes an automation. Its kind stays.',
    params: AutomationParams,
    body: UpdateAutomation,
    reply: { status: 200, body: Automation },
    errors: [...uploadErrors, 'not_found'],
    example: { active: false },
  },
  deleteAutomation: {
    ...common,
    method: 'DELETE',
    path: '/api/v1/automations/{id}',
    summary: 'Deletes an automation. Transfers that it started go on.',
    params: AutomationParams,
    reply: { status: 204 },
    errors: ['not_found'],
  },
  dryRunAutomation: {
    ...common,
    method: 'POST',
    path: '/api/v1/automations/{id}/dry_run',
    summary: 'Shows what an automation would do now, and does nothing.',
    params: AutomationParams,
    reply: { status: 200, body: DryRun },
    errors: ['not_found', 'session_is_nil', 'path_unreadable', 'service_unreachable'],
  },
});
