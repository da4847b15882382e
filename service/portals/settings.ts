import type { Selectable } from 'kysely';
import { ApiError } from '#protocol/errors.ts';
import type { TermsOfService, UpdatePortal } from '#protocol/hosted/portals.ts';
import { matchesNamePattern, parseNamePattern } from '#protocol/name-pattern.ts';
import { isSubdomain } from '#protocol/subdomain.ts';
import type { Database } from '../database/schema/database.ts';
import { distinctRecipients } from '../packages/create.ts';
import { checkWebAddress } from '../web-address.ts';
import { parseDateTime } from '../wire-times.ts';

type Row = Selectable<Database['portals']>;

type ImageColumn = 'logo_image_id' | 'background_image_id';

/** The settings by a Portal's owner, as in the table. Data in other tables, and the download password, are separate. */
export type PortalSettings = Readonly<
  Omit<
    Row,
    'id' | 'team_id' | 'created_by' | 'created_at' | 'updated_at' | 'download_password_hash' | 'tag_id' | 'teamspace_id' | ImageColumn
  >
>;

/** The change of the password for links to a Portal's packages. */
export type PasswordChange = { readonly kind: 'keep' } | { readonly kind: 'none' } | { readonly kind: 'set'; readonly password: string };

const noTerms: TermsOfService = { title: '', description: '', checkbox_label: '', checkbox_url: '' };

/** The defaults of a Portal for which only the name and subdomain are given (contract/portals.md §3). */
export const defaultSettings: Omit<PortalSettings, 'name' | 'subdomain'> = {
  message: '',
  has_access_code: false,
  access_code: '',
  active: false,
  recipients: [],
  cc_recipients: [],
  has_download_password: false,
  custom_expiry_days: null,
  access_level: 'regular',
  terms_of_service_enabled: false,
  terms_of_service: noTerms,
  package_size_restriction_enabled: false,
  max_package_size: 0,
  max_file_size: 0,
  max_file_count: 0,
  max_storage: 0,
  file_type_restriction_enabled: false,
  file_types: [],
  expiry_enabled: false,
  expiry: null,
  primary_color: '',
  logo_url: '',
  background_url: '',
  name_pattern: '',
  name_pattern_label: '',
  name_pattern_example: '',
};

/** The placeholder for a password that is not shown; if sent back, the current password is kept. */
export const hiddenPassword = '****';

/**
 * Applies the sent settings to the current ones: omitted settings are kept. A code or password that is sent without
 * its `has_…` is enabled, and one that is disabled is deleted. `invalid_request` names the field.
 */
export function applySettings(
  before: PortalSettings,
  sent: UpdatePortal,
): { readonly settings: PortalSettings; readonly password: PasswordChange } {
  const accessCode = sent.access_code ?? before.access_code;
  const hasAccessCode = sent.has_access_code ?? (sent.access_code === undefined ? before.has_access_code : sent.access_code !== '');
  if (hasAccessCode && accessCode === '') refuse('access_code', 'choose one, or set has_access_code to false');
  const password = passwordChange(before.has_download_password, sent);
  const days = sent.custom_expiry_days;
  const settings: PortalSettings = {
    name: sent.name ?? before.name,
    subdomain: sent.subdomain ?? before.subdomain,
    message: sent.message ?? before.message,
    has_access_code: hasAccessCode,
    access_code: hasAccessCode ? accessCode : '',
    active: sent.active ?? before.active,
    recipients: distinctRecipients(sent.recipients ?? before.recipients),
    cc_recipients: distinctRecipients(sent.cc_recipients ?? before.cc_recipients),
    has_download_password: password.kind === 'keep' ? before.has_download_password : password.kind === 'set',
    // 0 means the Team's default.
    custom_expiry_days: days === undefined ? before.custom_expiry_days : days === 0 ? null : days,
    access_level: sent.access_level ?? before.access_level,
    terms_of_service_enabled: sent.terms_of_service_enabled ?? before.terms_of_service_enabled,
    terms_of_service: sent.terms_of_service ? onlyTerms(sent.terms_of_service) : before.terms_of_service,
    package_size_restriction_enabled: sent.package_size_restriction_enabled ?? before.package_size_restriction_enabled,
    max_package_size: sent.max_package_size ?? before.max_package_size,
    max_file_size: sent.max_file_size ?? before.max_file_size,
    max_file_count: sent.max_file_count ?? before.max_file_count,
    max_storage: sent.max_storage ?? before.max_storage,
    file_type_restriction_enabled: sent.file_type_restriction_enabled ?? before.file_type_restriction_enabled,
    file_types: distinctTypes(sent.file_types ?? before.file_types),
    expiry_enabled: sent.expiry_enabled ?? before.expiry_enabled,
    expiry: sent.expiry === undefined ? before.expiry : parseDateTime(sent.expiry, 'expiry'),
    primary_color: sent.primary_color ?? before.primary_color,
    logo_url: sent.logo_url ?? before.logo_url,
    background_url: sent.background_url ?? before.background_url,
    name_pattern: sent.name_pattern ?? before.name_pattern,
    name_pattern_label: sent.name_pattern_label ?? before.name_pattern_label,
    name_pattern_example: sent.name_pattern_example ?? before.name_pattern_example,
  };
  if (settings.subdomain !== before.subdomain && !isSubdomain(settings.subdomain)) {
    refuse('subdomain', 'it is no label of a host name: begin and end it with a letter or digit, and put no -- third and fourth');
  }
  if (settings.expiry_enabled && !settings.expiry) refuse('expiry', 'say when, or set expiry_enabled to false');
  if (settings.file_type_restriction_enabled && settings.file_types.length === 0) {
    refuse('file_types', 'name at least one, or set file_type_restriction_enabled to false');
  }
  checkNamePattern(settings);
  checkWebAddress('logo_url', settings.logo_url);
  checkWebAddress('background_url', settings.background_url);
  checkWebAddress('terms_of_service.checkbox_url', settings.terms_of_service.checkbox_url);
  return { settings, password };
}

function refuse(field: string, detail: string): never {
  throw new ApiError('invalid_request', { detail: `${field}: ${detail}.` });
}

function checkNamePattern({ name_pattern: source, name_pattern_example: example }: PortalSettings): void {
  const parsed = parseNamePattern(source);
  if (!parsed.ok) refuse('name_pattern', `it ${parsed.problem}`);
  if (parsed.pattern.length > 0 && example !== '' && !matchesNamePattern(parsed.pattern, example)) {
    refuse('name_pattern_example', 'it is not of the pattern itself');
  }
}

function passwordChange(had: boolean, sent: UpdatePortal): PasswordChange {
  const password = sent.download_password === hiddenPassword ? undefined : sent.download_password;
  const has = sent.has_download_password ?? (password === undefined ? had : password !== '');
  if (!has) return { kind: 'none' };
  if (password !== undefined && password !== '') return { kind: 'set', password };
  if (!had || password === '') refuse('download_password', 'choose one, or set has_download_password to false');
  return { kind: 'keep' };
}

/** Unknown fields are not stored. */
const onlyTerms = ({ title, description, checkbox_label, checkbox_url }: TermsOfService): TermsOfService => ({
  title,
  description,
  checkbox_label,
  checkbox_url,
});

/** Each extension once, regardless of case, as first written. */
function distinctTypes(types: readonly string[]): string[] {
  const seen = new Set<string>();
  return types.filter((type) => {
    const known = seen.has(type.toLowerCase());
    seen.add(type.toLowerCase());
    return !known;
  });
}
