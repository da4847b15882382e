/**
 * The catalogue of storage providers: contract/connections.md §1. The validation of connections, the API's docs and the
 * GUI's forms are built from it.
 */

export const directions = ['service_to_cloud', 'cloud_to_service'] as const;
export type Direction = (typeof directions)[number];

/** One field of a provider's `authorization`. Every value is sent as a string. */
export interface AuthorizationField {
  readonly name: string;
  readonly label: string;
  readonly required: boolean;
  /** Displayed as dots, and never returned. */
  readonly secret: boolean;
  /**
   * The field decides which server receives the secrets, or which account they are for: after a change they must be
   * entered again.
   */
  readonly bindsSecrets: boolean;
  /** Needs a text area: keys in PEM have line breaks. */
  readonly multiline: boolean;
  /** The only allowed values. */
  readonly values?: readonly string[];
  /** Initial value in a form, and the default of an optional field that is not sent. */
  readonly default?: string;
  readonly format?: FieldFormat;
}

export type FieldFormat = 'endpoint' | 'url' | 'email' | 'pem' | 'role_arn' | 'external_id' | 'region';

/** One of several authentication methods: exactly one must be chosen, with all its fields. */
export interface Alternative {
  readonly name: string;
  readonly label: string;
  readonly fields: readonly AuthorizationField[];
}

export interface Provider {
  readonly label: string;
  readonly directions: readonly Direction[];
  /** Reached through an agent with a storage gateway; such a connection has `storage_gateway_id`. */
  readonly gateway: boolean;
  /** S3 and S3-compatible: supports writing a transfer manifest. */
  readonly s3: boolean;
  /** Fields of every connection of the provider. */
  readonly fields: readonly AuthorizationField[];
  readonly alternatives: readonly Alternative[];
}

type FieldOptions = Partial<Omit<AuthorizationField, 'name' | 'label'>>;

const field = (name: string, label: string, options: FieldOptions = {}): AuthorizationField => ({
  name,
  label,
  required: true,
  secret: false,
  bindsSecrets: true,
  multiline: false,
  ...options,
});
const secret = (name: string, label: string, options: FieldOptions = {}) =>
  field(name, label, { secret: true, bindsSecrets: false, ...options });

const keyId = field('client_id', 'Access key ID');
const keySecret = secret('client_secret', 'Secret access key');
const bucket = field('destination', 'Bucket');
const endpoint = field('endpoint', 'Endpoint', { format: 'endpoint' });
const region = (options: FieldOptions = {}) => field('region', 'Region', { format: 'region', ...options });
const pathStyle = (standard: 'true' | 'false') =>
  field('force_s3_path_style', 'Path-style addresses', { values: ['true', 'false'], default: standard, bindsSecrets: false });

const storageClasses = ['STANDARD', 'INTELLIGENT_TIERING', 'STANDARD_IA', 'ONEZONE_IA', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'] as const;

const toCloud: readonly Direction[] = ['service_to_cloud'];

const cloud = (label: string, fields: readonly AuthorizationField[]): Provider => ({
  label,
  directions: toCloud,
  gateway: false,
  s3: false,
  fields,
  alternatives: [],
});
const s3 = (label: string, fields: readonly AuthorizationField[]): Provider => ({ ...cloud(label, fields), s3: true });
const gateway = (label: string): Provider => ({ ...cloud(label, []), directions, gateway: true });

export const providers = {
  amazon_s3: {
    ...s3('Amazon S3', [
      bucket,
      region(),
      field('storage_class', 'Storage class', { required: false, values: storageClasses, default: 'STANDARD', bindsSecrets: false }),
    ]),
    directions,
    alternatives: [
      { name: 'key', label: 'Access key', fields: [keyId, keySecret] },
      {
        name: 'role',
        label: 'Role',
        fields: [
          field('role_arn', 'Role ARN', { format: 'role_arn' }),
          // No secret: the role's owner writes it into the trust policy. Left out, the service makes it.
          field('external_id', 'External ID', { required: false, bindsSecrets: false, format: 'external_id' }),
        ],
      },
    ],
  },
  amazon_efs_sg: gateway('Amazon EFS (storage gateway)'),
  azure: cloud('Azure Blob Storage', [
    secret('blob_service_sas_url', 'Blob service SAS URL', { format: 'url' }),
    field('destination', 'Container'),
  ]),
  backblazeb2: cloud('Backblaze B2', [field('client_id', 'Key ID'), secret('client_secret', 'Application key'), bucket]),
  box: cloud('Box', [
    field('client_id', 'Client ID'),
    secret('client_secret', 'Client secret'),
    field('public_key_id', 'Public key ID'),
    secret('private_key', 'Private key (PEM)', { multiline: true, format: 'pem' }),
    secret('passphrase', 'Passphrase'),
    field('enterprise_id', 'Enterprise ID'),
  ]),
  desktop_sg: gateway('Desktop-mounted storage (storage gateway)'),
  digitalocean_s3: s3('DigitalOcean Spaces', [keyId, keySecret, bucket, endpoint, region()]),
  frameio_v4: cloud('Frame.io (V4)', [
    field('auth_strategy', 'Sign-in', { values: ['server'], default: 'server' }),
    field('client_id', 'Client ID'),
    secret('client_secret', 'Client secret'),
    field('account_id', 'Account ID'),
    field('workspace_id', 'Workspace ID'),
    field('project_id', 'Project ID'),
  ]),
  frameio: cloud('Frame.io (legacy)', [
    secret('developer_token', 'Developer token'),
    field('account_id', 'Account ID'),
    field('team_id', 'Team ID'),
    field('project_id', 'Project ID'),
  ]),
  google_cloud_storage: cloud('Google Cloud Storage', [
    field('client_email', 'Service account e-mail', { format: 'email' }),
    secret('private_key', 'Private key (PEM)', { multiline: true, format: 'pem' }),
    bucket,
  ]),
  ibm_s3: s3('IBM Cloud Object Storage', [keyId, keySecret, bucket, endpoint, region()]),
  iconik: cloud('iconik', [
    field('application_id', 'Application ID'),
    secret('application_token', 'Application token'),
    field('storage_id', 'Storage ID'),
  ]),
  minio_s3: s3('MinIO', [keyId, keySecret, bucket, endpoint, region({ default: 'default' }), pathStyle('true')]),
  objectmatrix_s3: s3('Object Matrix', [keyId, keySecret, bucket, endpoint, region({ values: ['eu'], default: 'eu' })]),
  postlab: cloud('PostLab', [secret('team_id', 'Team key')]),
  lyve_s3: s3('Lyve Cloud', [keyId, keySecret, bucket, endpoint, region()]),
  storj_s3: s3('Storj', [keyId, keySecret, bucket, endpoint, region({ default: 'default' })]),
  wasabi_s3: { ...s3('Wasabi', [keyId, keySecret, bucket, endpoint, region()]), directions },
  generic_s3: s3('Other S3-compatible storage', [
    keyId,
    keySecret,
    bucket,
    endpoint,
    region({ required: false, default: 'default' }),
    pathStyle('false'),
  ]),
  storage_gateway: gateway('Any NAS or SAN (storage gateway)'),
  synology_sg: gateway('Synology (storage gateway)'),
  qnap_sg: gateway('QNAP (storage gateway)'),
  opendrives_sg: gateway('OpenDrives (storage gateway)'),
  jellyfish_sg: gateway('Jellyfish (storage gateway)'),
} as const satisfies Readonly<Record<string, Provider>>;

export type ProviderName = keyof typeof providers;

/** Those that are reached through an agent with a storage gateway. */
export const gatewayProviders = [
  'storage_gateway',
  'desktop_sg',
  'amazon_efs_sg',
  'synology_sg',
  'qnap_sg',
  'opendrives_sg',
  'jellyfish_sg',
] as const satisfies readonly ProviderName[];

export const providerNames = Object.keys(providers) as readonly ProviderName[];

/** Whether a value is the name of a provider in the catalogue. */
export function isProvider(value: string): value is ProviderName {
  return Object.hasOwn(providers, value);
}
