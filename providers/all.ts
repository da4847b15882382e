import { type ProviderName, providers } from '#protocol/providers.ts';
import { createAzureProvider } from './azure/azure-provider.ts';
import { azureConfig } from './azure/config.ts';
import { createB2Provider } from './b2/b2-provider.ts';
import { b2Config } from './b2/config.ts';
import { createBoxProvider } from './box/box-provider.ts';
import { boxConfig } from './box/config.ts';
import { ProviderError } from './errors.ts';
import { frameioConfig } from './frameio/config.ts';
import { createFrameioProvider } from './frameio/frameio-provider.ts';
import { refuseFrameioLegacy } from './frameio-legacy/closing.ts';
import { gcsConfig } from './gcs/config.ts';
import { createGcsProvider } from './gcs/gcs-provider.ts';
import { iconikConfig } from './iconik/config.ts';
import { createIconikProvider } from './iconik/iconik-provider.ts';
import type { CloudProvider, ProviderEnvironment } from './ports.ts';
import { refusePostlab } from './postlab/no-interface.ts';
import { s3Config } from './s3/config.ts';
import type { S3Kind } from './s3/quirks.ts';
import { createS3Provider } from './s3/s3-provider.ts';

type Authorization = Readonly<Record<string, string>>;

/** Opens a provider with a connection's `authorization`. Throws `misconfigured` where that cannot be one. */
type Open = (authorization: Authorization, environment: ProviderEnvironment) => CloudProvider;

const s3 =
  (kind: S3Kind): Open =>
  (authorization, environment) =>
    createS3Provider(s3Config(kind, authorization), environment);

/** Every value of the catalogue. Null: the service cannot reach it. */
const openers: { readonly [Name in ProviderName]: Open | null } = {
  amazon_s3: s3('amazon_s3'),
  digitalocean_s3: s3('digitalocean_s3'),
  ibm_s3: s3('ibm_s3'),
  minio_s3: s3('minio_s3'),
  objectmatrix_s3: s3('objectmatrix_s3'),
  lyve_s3: s3('lyve_s3'),
  storj_s3: s3('storj_s3'),
  wasabi_s3: s3('wasabi_s3'),
  generic_s3: s3('generic_s3'),
  azure: (authorization, environment) => createAzureProvider(azureConfig(authorization), environment),
  backblazeb2: (authorization, environment) => createB2Provider(b2Config(authorization), environment),
  box: (authorization, environment) => createBoxProvider(boxConfig(authorization), environment),
  frameio_v4: (authorization, environment) => createFrameioProvider(frameioConfig(authorization), environment),
  frameio: (_authorization, environment) => refuseFrameioLegacy(environment.now()),
  google_cloud_storage: (authorization, environment) => createGcsProvider(gcsConfig(authorization), environment),
  iconik: (authorization, environment) => createIconikProvider(iconikConfig(authorization), environment),
  postlab: refusePostlab,
  amazon_efs_sg: null,
  desktop_sg: null,
  storage_gateway: null,
  synology_sg: null,
  qnap_sg: null,
  opendrives_sg: null,
  jellyfish_sg: null,
};

/** A provider without wrappers. Throws `not_offered` where there is none yet, `misconfigured` where the fields cannot be used. */
export function openProvider(name: ProviderName, authorization: Authorization, environment: ProviderEnvironment): CloudProvider {
  const open = openers[name];
  if (open) return open(authorization, environment);
  const { label, gateway } = providers[name];
  throw new ProviderError(
    'not_offered',
    gateway
      ? `${label} is reached through an agent with a storage gateway, not by the service.`
      : `Longshore cannot move files to or from ${label} yet. Choose another provider.`,
  );
}
