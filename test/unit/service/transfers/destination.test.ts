import { expect, test } from 'vitest';
import { destinationOf } from '#service/transfers/create.ts';

const azure = (account: string, sas = 'sv=1&sig=secret', destination = 'dailies') =>
  destinationOf('azure', { blob_service_sas_url: `https://${account}.blob.core.windows.net/?${sas}`, destination });

test('containers of one name in two accounts are two places, a new SAS is none', () => {
  expect(azure('one').equals(azure('other'))).toBe(false);
  expect(azure('one').equals(azure('one', 'sv=1&sig=secret', 'stills'))).toBe(false);
  expect(azure('one').equals(azure('ONE', 'sv=2&sig=renewed'))).toBe(true);
});

test('keys that are renewed lead to the same bucket', () => {
  const bucket = { destination: 'dailies', endpoint: 'https://s3.example.com' };
  const before = destinationOf('generic_s3', { ...bucket, client_id: 'AKIA1', client_secret: 'secret' });
  expect(before.equals(destinationOf('generic_s3', { ...bucket, client_id: 'AKIA2', client_secret: 'other' }))).toBe(true);
  expect(before.equals(destinationOf('generic_s3', { ...bucket, endpoint: 'https://s3.example.org' }))).toBe(false);
});
