import { type Static, Type } from 'typebox';
import { timeOfDayPattern } from '../patterns.ts';
import { defineRoutes } from '../route.ts';
import { Literals } from '../schema.ts';

/** The agent's settings that a user can change: contract/agent.md §9. */

export const Settings = Type.Object(
  {
    max_concurrent_transfers: Type.Integer({ minimum: 1, maximum: 100, examples: [3] }),
    order: Literals(['shared', 'strict'], { description: '`strict`: one transfer after another; `shared`: several at once.' }),
    name_collision: Literals(['keep_both', 'replace', 'skip'], { description: 'When a download meets a file that is there already.' }),
    download_folder: Type.String({
      maxLength: 32_767,
      description: 'Where downloads go unless told otherwise.',
      examples: ['/home/mia/Downloads'],
    }),
    allowed_roots: Type.Array(Type.String({ minLength: 1, maxLength: 32_767 }), {
      maxItems: 100,
      description:
        'The folders inside which `GET /api/v1/folders` lists, and callers beyond this machine or with an application token send from and receive into. Such callers cannot change it. At first the home folder.',
      examples: [['/home/mia', '/media']],
    }),
    history_days: Type.Integer({
      minimum: 0,
      maximum: 3_650,
      description: 'How long finished transfers stay listed; 0 = for ever.',
      examples: [90],
    }),
    notifications: Type.Boolean(),
    start_at_login: Type.Boolean(),
    appearance: Literals(['system', 'light', 'dark']),
    letter_keys: Type.Boolean({
      description:
        "Whether the agent's page takes single characters as shortcuts. Who speaks to the computer, or slips on its keys, may want none.",
    }),
    dismissed_warnings: Type.Array(Type.String({ maxLength: 2_000 }), {
      maxItems: 100,
      description:
        'Warnings of the status that a person has put away: the page does not show them. One that the agent says no more is taken out, so it is shown if it comes back.',
      examples: [[]],
    }),
    language: Type.String({ maxLength: 35, description: "A BCP 47 tag; empty for the system's.", examples: ['en'] }),
  },
  { title: 'Settings' },
);
export type Settings = Static<typeof Settings>;

export const UpdateSettings = Type.Partial(Type.Object(Settings.properties));
export type UpdateSettings = Static<typeof UpdateSettings>;

const TimeOfDay = Type.String({
  pattern: timeOfDayPattern,
  description:
    "HH:MM, in the machine's time zone. An end that is not after its start lies on the next day, so 00:00 to 00:00 is a whole day.",
  examples: ['08:00'],
});
const Day = Type.Object({ enabled: Type.Boolean(), start: TimeOfDay, end: { ...TimeOfDay, examples: ['18:00'] } });

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Times of the week, one stretch a day. */
export const WeekSchedule = Type.Object({ mon: Day, tue: Day, wed: Day, thu: Day, fri: Day, sat: Day, sun: Day });
export type WeekSchedule = Static<typeof WeekSchedule>;

export const RateLimit = Type.Object(
  {
    enabled: Type.Boolean(),
    rate_limit_bps: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Bytes per second; 0 = none.',
      examples: [12_500_000],
    }),
    schedule_enabled: Type.Boolean({ description: 'Whether the limit holds only at the times of `schedule`.' }),
    schedule: WeekSchedule,
  },
  { title: 'RateLimit' },
);
export type RateLimit = Static<typeof RateLimit>;

const workday = { enabled: true, start: '08:00', end: '18:00' };
const weekend = { enabled: false, start: '08:00', end: '18:00' };
const exampleLimit = {
  enabled: true,
  rate_limit_bps: 12_500_000,
  schedule_enabled: true,
  schedule: { mon: workday, tue: workday, wed: workday, thu: workday, fri: workday, sat: weekend, sun: weekend },
};

const common = { tag: 'Settings', credentials: ['none'] } as const;

function rateLimit<const D extends 'upload' | 'download'>(direction: D) {
  const path = `/api/v1/settings/${direction}_rate_limit` as const;
  return {
    get: { ...common, method: 'GET', path, summary: `Reads the ${direction} speed limit.`, reply: { status: 200, body: RateLimit } },
    set: {
      ...common,
      method: 'PUT',
      path,
      summary: `Sets the ${direction} speed limit, with its weekly schedule. Transfers under way follow it at once.`,
      body: RateLimit,
      reply: { status: 200, body: RateLimit },
      example: exampleLimit,
    },
  } as const;
}
const uploadLimit = rateLimit('upload');
const downloadLimit = rateLimit('download');

export const settingsRoutes = defineRoutes({
  getSettings: {
    ...common,
    method: 'GET',
    path: '/api/v1/settings',
    summary: 'Reads the settings.',
    reply: { status: 200, body: Settings },
  },
  updateSettings: {
    ...common,
    method: 'PUT',
    path: '/api/v1/settings',
    summary: 'Changes settings. What is left out stays as it is.',
    body: UpdateSettings,
    reply: { status: 200, body: Settings },
    errors: ['path_not_absolute', 'path_not_found', 'path_outside', 'not_allowed', 'state_conflict'],
    example: { max_concurrent_transfers: 3, order: 'shared' },
  },
  getUploadRateLimit: uploadLimit.get,
  setUploadRateLimit: uploadLimit.set,
  getDownloadRateLimit: downloadLimit.get,
  setDownloadRateLimit: downloadLimit.set,
});
