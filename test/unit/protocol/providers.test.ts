import { describe, expect, it } from 'vitest';
import { checkAuthorization } from '#protocol/authorization.ts';
import { type Direction, isProvider, type Provider, type ProviderName, providerNames, providers } from '#protocol/providers.ts';

/** The providers (contract/connections.md §1): fields by value; `?` marks an optional one. */
const specified: Readonly<Record<ProviderName, string>> = {
  amazon_s3: 'client_id client_secret role_arn external_id? destination region storage_class?',
  amazon_efs_sg: '',
  azure: 'blob_service_sas_url destination',
  backblazeb2: 'client_id client_secret destination',
  box: 'client_id client_secret public_key_id private_key passphrase enterprise_id',
  desktop_sg: '',
  digitalocean_s3: 'client_id client_secret destination endpoint region',
  frameio_v4: 'auth_strategy client_id client_secret account_id workspace_id project_id',
  frameio: 'developer_token account_id team_id project_id',
  google_cloud_storage: 'client_email private_key destination',
  ibm_s3: 'client_id client_secret destination endpoint region',
  iconik: 'application_id application_token storage_id',
  minio_s3: 'client_id client_secret destination endpoint region force_s3_path_style',
  objectmatrix_s3: 'client_id client_secret destination endpoint region',
  postlab: 'team_id',
  lyve_s3: 'client_id client_secret destination endpoint region',
  storj_s3: 'client_id client_secret destination endpoint region',
  wasabi_s3: 'client_id client_secret destination endpoint region',
  generic_s3: 'client_id client_secret destination endpoint region? force_s3_path_style',
  storage_gateway: '',
  synology_sg: '',
  qnap_sg: '',
  opendrives_sg: '',
  jellyfish_sg: '',
};

const fieldsOf = (name: ProviderName) => {
  const provider: Provider = providers[name];
  return [...provider.alternatives.flatMap((one) => one.fields), ...provider.fields];
};

const pem = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n';
const sampleOf: Readonly<Record<string, string>> = {
  private_key: pem,
  client_email: 'uploader@project.iam.gserviceaccount.com',
  blob_service_sas_url: 'https://acme.blob.core.windows.net/?sv=2024&ss=b&srt=co&sig=abc',
  endpoint: 'https://s3.eu-central-1.example.com',
  region: 'eu-central-1',
};
/** A whole authorization of the provider, by its first alternative. */
const whole = (name: ProviderName): Record<string, string> => {
  const provider: Provider = providers[name];
  const fields = [...(provider.alternatives[0]?.fields ?? []), ...provider.fields];
  return Object.fromEntries(fields.map((one) => [one.name, one.values?.[0] ?? sampleOf[one.name] ?? `my ${one.name}`]));
};
const placesOf = (
  provider: string,
  authorization: Record<string, unknown>,
  direction: Direction = 'service_to_cloud',
  mode: 'create' | 'update' = 'create',
) => checkAuthorization(provider, authorization, direction, mode).map((problem) => problem.field);

describe('the provider catalogue', () => {
  it.each(Object.entries(specified))('declares the fields of %s', (name, fields) => {
    if (!isProvider(name)) throw new Error(`${name} is missing`);
    expect(
      fieldsOf(name)
        .map((one) => `${one.name}${one.required ? '' : '?'}`)
        .join(' '),
    ).toBe(fields);
  });

  it('holds no provider that the table does not', () => {
    expect([...providerNames].sort()).toEqual(Object.keys(specified).sort());
  });

  it('offers cloud_to_service for the two S3 storages that have it, and by gateways', () => {
    const both = providerNames.filter((name) => (providers[name].directions as readonly Direction[]).includes('cloud_to_service'));
    expect(both).toEqual(providerNames.filter((name) => ['amazon_s3', 'wasabi_s3'].includes(name) || providers[name].gateway));
  });

  it('reaches through a gateway exactly what its value says', () => {
    const byGateway = providerNames.filter((name) => providers[name].gateway);
    expect(byGateway).toEqual(providerNames.filter((name) => name.endsWith('_sg') || name === 'storage_gateway'));
    for (const name of byGateway) expect(fieldsOf(name)).toEqual([]);
  });

  it('marks as secret what must never be shown', () => {
    const secrets = new Set(
      providerNames
        .flatMap((name) => fieldsOf(name))
        .filter((one) => one.secret)
        .map((one) => one.name),
    );
    expect([...secrets].sort()).toEqual(
      ['application_token', 'blob_service_sas_url', 'client_secret', 'developer_token', 'passphrase', 'private_key', 'team_id'].sort(),
    );
  });

  it('has defaults that it takes itself', () => {
    for (const name of providerNames)
      for (const one of fieldsOf(name)) if (one.values && one.default !== undefined) expect(one.values).toContain(one.default);
  });
});

describe('checkAuthorization', () => {
  it.each(providerNames)('takes a whole authorization of %s', (name) => {
    expect(checkAuthorization(name, whole(name), 'service_to_cloud', 'create')).toEqual([]);
  });

  it.each(providerNames)('names each required field of %s that is missing, and none on update', (name) => {
    for (const one of fieldsOf(name)) {
      const { [one.name]: taken, ...rest } = whole(name);
      if (taken === undefined) continue;
      expect(placesOf(name, rest), one.name).toEqual(one.required ? [`authorization.${one.name}`] : []);
      expect(placesOf(name, rest, 'service_to_cloud', 'update'), one.name).toEqual([]);
    }
  });

  it.each(providerNames)('refuses empty, overlong and non-string values of %s', (name) => {
    for (const one of fieldsOf(name).filter((each) => each.name in whole(name))) {
      for (const bad of [one.required ? '  ' : 17, 17, null, ['a'], { a: 1 }, 'x'.repeat(16_385)]) {
        expect(placesOf(name, { ...whole(name), [one.name]: bad }), `${one.name} ${JSON.stringify(bad).slice(0, 20)}`).toEqual([
          `authorization.${one.name}`,
        ]);
        expect(placesOf(name, { [one.name]: bad }, 'service_to_cloud', 'update')).toEqual([`authorization.${one.name}`]);
      }
    }
  });

  it.each([
    ['amazon_s3', 'storage_class', 'COLD', /one of STANDARD/],
    ['objectmatrix_s3', 'region', 'us', /must be eu/],
    ['frameio_v4', 'auth_strategy', 'user', /must be server/],
    ['minio_s3', 'force_s3_path_style', 'yes', /one of true, false/],
    ['wasabi_s3', 'endpoint', 'ftp://x', /https/],
    ['wasabi_s3', 'endpoint', 'not a host', /https/],
    ['amazon_s3', 'region', 'evil.example/?', /letters, digits/],
    ['wasabi_s3', 'region', 'eu\r\nX-Evil: 1', /one line/],
    ['box', 'private_key', 'MIIE', /PEM/],
    ['google_cloud_storage', 'client_email', 'nobody', /e-mail/],
    ['azure', 'blob_service_sas_url', 'acme', /https/],
  ] as const)('refuses for %s the %s %j', (name, field, value, words) => {
    const problems = checkAuthorization(name, { ...whole(name), [field]: value }, 'service_to_cloud', 'create');
    expect(problems.map((problem) => problem.field)).toEqual([`authorization.${field}`]);
    expect(problems[0]?.message).toMatch(words);
  });

  it.each(['https://s3.example.com', 'http://10.0.0.5:9000', 's3.example.com', 'localhost:9000', 'https://s3.example.com/tenant'])(
    'takes the endpoint %s',
    (endpoint) => expect(placesOf('generic_s3', { ...whole('generic_s3'), endpoint })).toEqual([]),
  );

  const role = { role_arn: 'arn:aws:iam::123456789012:role/longshore', external_id: 'e-1' };
  const place = { destination: 'dailies', region: 'eu-central-1' };
  it.each([
    [{ ...place, ...role }, 'create', []],
    [{ ...place, client_id: 'a', client_secret: 'b' }, 'create', []],
    [place, 'create', ['authorization']],
    [place, 'update', []],
    [{ ...place, role_arn: role.role_arn }, 'create', []],
    [{ ...place, external_id: 'e-1' }, 'create', ['authorization.role_arn']],
    [{ ...place, ...role, external_id: 'e 1' }, 'create', ['authorization.external_id']],
    [{ ...place, ...role, external_id: 'x'.repeat(1225) }, 'create', ['authorization.external_id']],
    [{ ...place, client_id: 'a' }, 'create', ['authorization.client_secret']],
    [{ client_secret: 'rotated' }, 'update', []],
    [{ ...place, ...role, client_id: 'a' }, 'create', ['authorization']],
    [{ ...role, client_id: 'a' }, 'update', ['authorization']],
    [{ ...place, ...role, role_arn: 'longshore' }, 'create', ['authorization.role_arn']],
  ] as const)('wants one whole way into Amazon S3: %j on %s', (authorization, mode, fields) => {
    expect(placesOf('amazon_s3', authorization, 'service_to_cloud', mode)).toEqual(fields);
  });

  it.each([
    ['wasabi_s3', 'cloud_to_service', []],
    ['amazon_s3', 'cloud_to_service', []],
    ['minio_s3', 'cloud_to_service', ['direction']],
    ['box', 'cloud_to_service', ['direction']],
  ] as const)('checks the direction: %s %s', (name, direction, fields) => {
    expect(placesOf(name, whole(name), direction)).toEqual(fields);
  });

  it.each(['nowhere_s3', '', 'toString', '__proto__', 'AMAZON_S3'])('knows no provider %j', (name) => {
    expect(placesOf(name, {})).toEqual(['provider']);
  });

  it('ignores fields that the provider does not have', () => {
    expect(placesOf('postlab', { team_id: 'k', destination: 17, __proto__: { team_id: 3 } })).toEqual([]);
  });

  it('names every problem at once, in the order of the form', () => {
    expect(placesOf('generic_s3', { endpoint: 'not a host', force_s3_path_style: 'maybe' })).toEqual([
      'authorization.client_id',
      'authorization.client_secret',
      'authorization.destination',
      'authorization.endpoint',
      'authorization.force_s3_path_style',
    ]);
  });
});
