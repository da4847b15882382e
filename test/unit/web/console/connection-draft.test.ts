import { describe, expect, it } from 'vitest';
import { checkAuthorization } from '#protocol/authorization.ts';
import { type AuthorizationField, type FieldFormat, providerNames } from '#protocol/providers.ts';
import {
  authorizationOf,
  changeOf,
  creationOf,
  draftOf,
  faultsOf,
  fieldsOf,
  newDraft,
  providerOf,
  withFolder,
} from '#web/console/integrations/connection-draft.ts';
import { headerLines, headersIn } from '#web/console/integrations/webhook-headers.ts';

const samples: Readonly<Record<FieldFormat, string>> = {
  endpoint: 's3.example.com',
  url: 'https://account.blob.example.com/?sig=x',
  email: 'robot@example.com',
  pem: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n',
  role_arn: 'arn:aws:iam::123456789012:role/longshore',
  external_id: 'given-id',
  region: 'eu-central-1',
};
const sample = (field: AuthorizationField) => field.values?.[0] ?? (field.format ? samples[field.format] : 'x');

describe.each(providerNames)('the form of %s', (name) => {
  const { alternatives } = providerOf(name);
  it.each(alternatives.length > 0 ? alternatives.map((one) => one.name) : [''])(
    'by %j asks for what the service wants, and no more',
    (alternative) => {
      const empty = { ...newDraft(name), alternative };
      const needed = fieldsOf(empty).filter((field) => field.required && empty.values[field.name] === undefined);
      expect(Object.keys(faultsOf(empty, 'create')).toSorted()).toEqual(needed.map((field) => field.name).toSorted());
      for (const fault of Object.values(faultsOf(empty, 'create'))) expect(fault).toBeNull();
      const filled = { ...empty, values: Object.fromEntries(fieldsOf(empty).map((field) => [field.name, sample(field)])) };
      const sent = creationOf(filled);
      expect(faultsOf(filled, 'create')).toEqual({});
      expect(checkAuthorization(sent.provider, sent.authorization, sent.direction!, 'create')).toEqual([]);
    },
  );
});

it('sends of a change what was filled in alone', () => {
  const connection = {
    id: 'c',
    name: 'Archive',
    provider: 'wasabi_s3',
    direction: 'cloud_to_service',
    state: 'ok',
    state_message: '',
    target_directory_id: '',
    source_directory_ids: ['a', 'b/c'],
    upload_transfer_manifest: false,
    created_at: '',
    updated_at: '',
  } as const;
  const draft = draftOf({ ...connection, source_directory_ids: [...connection.source_directory_ids] });
  expect(authorizationOf(draft)).toEqual({});
  expect(changeOf(draft, draft)).toEqual({});
  expect(changeOf({ ...draft, name: 'Vault' }, draft)).toEqual({ name: 'Vault' });
  expect(changeOf({ ...draft, sources: ' d \n\n', values: { client_secret: ' new ' } }, draft)).toEqual({
    authorization: { client_secret: 'new' },
    source_directory_ids: ['d'],
  });
  expect(faultsOf({ ...draft, values: { region: 'a b' } }, 'update')).toEqual({ region: expect.stringContaining('Region') });
});

it('adds folders and takes them away', () => {
  const two = withFolder(withFolder('', 'dailies/'), '/stills/day 1');
  expect(two).toBe('dailies\nstills/day 1');
  expect(withFolder(two, 'dailies')).toBe('stills/day 1');
});

it('keeps the line breaks of a key', () => {
  const draft = { ...newDraft('google_cloud_storage'), values: { private_key: samples.pem } };
  expect(authorizationOf(draft)).toEqual({ private_key: samples.pem });
});

it.each([
  ['', {}, null],
  ['Authorization: Bearer a:b\n\n X-Studio :north ', { Authorization: 'Bearer a:b', 'X-Studio': 'north' }, null],
  ['X-Empty:', { 'X-Empty': '' }, null],
  ['nonsense', {}, 'nonsense'],
  ['a b: c', {}, 'a b: c'],
])('reads the headers in %j', (text, headers, bad) => {
  expect(headersIn(text)).toEqual({ headers, bad });
  if (bad === null) expect(headersIn(headerLines(headers)).headers).toEqual(headers);
});
