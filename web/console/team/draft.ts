import type { TeamSettings, UpdateTeam } from '#protocol/hosted/teams.ts';

/** The settings as the form has them: numbers as they are typed, domains as lines. */
export type Draft = Omit<TeamSettings, 'id' | 'subdomain' | 'created_at' | 'updated_at' | 'max_email_recipients' | NumberField> &
  Readonly<Record<NumberField, string>> & { readonly domains: string };

const numberFields = [
  'custom_expiry_default',
  'max_expiry_days',
  'download_limit_default',
  'chunk_size_default',
  'audit_retention_days',
  'storage_price',
] as const;
export type NumberField = (typeof numberFields)[number];

export function draftOf(settings: TeamSettings): Draft {
  const numbers = Object.fromEntries(numberFields.map((name) => [name, String(settings[name])])) as Record<NumberField, string>;
  return { ...settings, ...numbers, domains: settings.recipient_domains.join('\n') };
}

/** What of the draft is not as it was read, as it is typed. */
export function editsOf(draft: Draft, settings: TeamSettings): Partial<Draft> {
  const before: Readonly<Record<string, unknown>> = draftOf(settings);
  return Object.fromEntries(Object.entries(draft).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])));
}

/** What the draft changes, as the API takes it. A field without a number is sent as it is typed, for the service to refuse. */
export function changesOf(draft: Draft, settings: TeamSettings): UpdateTeam {
  const { domains, ...rest } = draft;
  const wanted: Record<string, unknown> = {
    ...rest,
    ...Object.fromEntries(numberFields.map((name) => [name, draft[name].trim() === '' ? 0 : Number(draft[name])])),
    recipient_domains: domains.split(/[\s,;]+/).filter((domain) => domain !== ''),
  };
  const present: Readonly<Record<string, unknown>> = { ...settings };
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(present[name])),
  ) as UpdateTeam;
}

/** The field that a refusal is about, and what it says: `imprint_url: it must be…`. */
export function fieldFault(message: string): { readonly field: string; readonly text: string } | null {
  const [, field, text] = /^(?:The field )?([a-z_]+)(?:\[\d+\])?:? (.+)$/s.exec(message) ?? [];
  return field === undefined || text === undefined || !field.includes('_')
    ? null
    : { field, text: text.charAt(0).toUpperCase() + text.slice(1) };
}

/** What a part of the form gets. */
export interface PartProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  /** What is wrong with a field, as the service says it. */
  readonly errorOf: (field: string) => string | null;
}
