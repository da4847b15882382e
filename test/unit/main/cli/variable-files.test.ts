import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serviceCommand } from '#main/cli/commands/service.ts';
import { readVariableFiles, variablesByFile } from '#main/cli/variable-files.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-variables-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (content: string): string => {
  const path = join(folder, 'secret');
  writeFileSync(path, content);
  return path;
};

it('are variables of the service', () => {
  const known = serviceCommand().options.map(({ envVar }) => envVar);
  for (const name of Object.keys(variablesByFile)) expect(known).toContain(name);
});

it('come from the file that is named, without the end of its line', () => {
  const env = { DATABASE_URL: '', DATABASE_URL_FILE: file('postgres://longshore:secret@database/longshore\n') };
  readVariableFiles(env);
  expect(env.DATABASE_URL).toBe('postgres://longshore:secret@database/longshore');
});

it('given by themselves count, whatever file is named', () => {
  const env = { STORAGE_URL: 's3://minio/bucket', STORAGE_URL_FILE: join(folder, 'none') };
  readVariableFiles(env);
  expect(env.STORAGE_URL).toBe('s3://minio/bucket');
});

it('end the start where the file is missing or empty, and leave out what stands in it', () => {
  expect(() => readVariableFiles({ REALTIME_URL_FILE: join(folder, 'none') })).toThrow(/with the broker's address cannot be read/);
  expect(() => readVariableFiles({ LONGSHORE_SMTP_URL_FILE: file(' \n') })).toThrow(
    /should hold the mail server's address, and it is empty/,
  );
});
