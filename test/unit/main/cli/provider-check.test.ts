import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longshoreHere } from '#test/support/engine/command-line.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** `longshore provider check`: where fields come from, and that no secret is shown. What each step does is the providers' own. */

const secret = 'sesame-opens';
let folder: Awaited<ReturnType<typeof tempFolder>>;
let endpoint: string;
let requests = 0;
const server = createServer((_request, response) => {
  requests++;
  response
    .writeHead(403, { 'content-type': 'application/xml' })
    .end(`<Error><Code>SignatureDoesNotMatch</Code><Message>${secret}</Message></Error>`);
});
beforeAll(async () => {
  folder = await tempFolder();
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await folder.remove();
});

const check = (args: readonly string[], env: Record<string, string> = {}) => longshoreHere(['provider', 'check', ...args], { env });
const minio = ['--provider', 'minio_s3', '--field', 'client_id=AKID', '--field', 'destination=dailies', '--field', 'region=default'];
const inEnvironment = { LONGSHORE_PROVIDER_CLIENT_SECRET: secret };

async function fileWith(content: string): Promise<string> {
  const file = join(folder.path, 'authorization.json');
  await writeFile(file, content);
  return file;
}

describe('longshore provider check', () => {
  it('has help with examples, exit codes and where secrets come from', async () => {
    const { code, stdout } = await check(['--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nExamples:\n {2}longshore provider check /);
    expect(stdout).toMatch(/\nExit codes:\n {2}0 {4}done\n/);
    expect(stdout).toContain('LONGSHORE_PROVIDER_CLIENT_SECRET');
  });

  it('reports each step in words, without secrets, and fails', async () => {
    const args = [...minio, '--field', `endpoint=${endpoint}`, '--field', 'force_s3_path_style=true', '--allow-private-connections'];
    const { code, stdout, stderr } = await check(args, inEnvironment);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(
      /^put {5}failed {2}The secret access key is not the one .*\nA connection to MinIO with these fields does not work\.\n$/,
    );
    expect(stdout).not.toContain(secret);
    const json = await check([...args, '--json'], inEnvironment);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, steps: [{ step: 'put', ok: false }], notes: [] });
  });

  it('connects to no private address unless it may', async () => {
    requests = 0;
    const { code, stdout } = await check(
      [...minio, '--field', `endpoint=${endpoint}`, '--field', 'force_s3_path_style=true'],
      inEnvironment,
    );
    expect(code).toBe(1);
    expect(stdout).toContain('leads into a private network');
    expect(requests).toBe(0);
  });

  it('takes no secret from the command line, and repeats none', async () => {
    for (const given of [`client_secret=${secret}`, secret]) {
      const { code, stdout, stderr } = await check([...minio, '--field', `endpoint=${endpoint}`, '--field', given]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).not.toContain(secret);
    }
  });

  it('says which fields are missing or unknown', async () => {
    const { code, stderr } = await check(minio);
    expect(code).toBe(2);
    expect(stderr).toMatch(/client_secret: .*endpoint: /);
    expect((await check([...minio, '--field', 'bukcet=x'])).stderr).toContain('There is no field bukcet for minio_s3. It has client_id, ');
  });

  it('reads a file, whose faults are told without its content', async () => {
    const rest = { client_id: 'AKID', destination: 'dailies', region: 'default', endpoint, force_s3_path_style: 'true' };
    const good = await fileWith(JSON.stringify({ ...rest, client_secret: secret }));
    const done = await check(['--provider', 'minio_s3', '--authorization-file', good, '--allow-private-connections']);
    expect(done.stdout).toContain('The secret access key is not the one');
    for (const content of [`{"client_secret": "${secret}"`, `["${secret}"]`, '{"client_secret": 5}', '{"clientSecret": "x"}']) {
      const { code, stdout, stderr } = await check([...minio, '--authorization-file', await fileWith(content)]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).not.toContain(secret);
    }
    expect((await check([...minio, '--authorization-file', join(folder.path, 'absent')])).code).toBe(6);
  });

  it('says of a kind that cannot be reached yet that it cannot', async () => {
    const env = { LONGSHORE_PROVIDER_TEAM_ID: secret };
    const { code, stdout } = await check(['--provider', 'postlab'], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^put {5}failed {2}.*PostLab.*\n/);
  });
});
