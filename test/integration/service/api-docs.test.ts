import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageBlocks } from '#test/support/docs/page-blocks.ts';
import { firstOf, inAll } from '#test/support/level.ts';
import { askForm, formField, newPortal, portalSender } from '#test/support/service/portals.ts';
import { ownerEmail, ownerPassword, startTestService, type TestService } from '#test/support/service/start-service.ts';
import { sentPackage } from '#test/support/service/transfers.ts';
import { borrowRgw, hasRgw } from '#test/support/storage/rgw.ts';
import { bodyOf, startHttpServer, type TestServer } from '#test/support/system/http-server.ts';
import { eventually } from '#test/support/system/processes.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { tempFolder } from '#test/support/system/temp-folder.ts';

/** The commands of docs/api.md, run as the page prints them. */

const blocks = pageBlocks('api.md');
const marked = (mark: string): string => blocks.find((block) => block.mark === mark)!.text;
const every = (mark: string): string[] => blocks.filter((block) => block.mark === mark).map(({ text }) => text);
/** What a reader fills in comes from the environment here. */
const unset = (script: string): string => script.replaceAll(/^export .*\n/gm, '');

interface Heard {
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

let t: TestService;
let folder: Awaited<ReturnType<typeof tempFolder>>;
let receiver: TestServer;
const heard: Heard[] = [];

beforeAll(async () => {
  folder = await tempFolder();
  t = await startTestService({ allowPrivateWebhooks: true, allowPrivateConnections: true });
  receiver = await startHttpServer(async (request, response) => {
    heard.push({ headers: request.headers as Record<string, string>, body: Buffer.from(await bodyOf(request)) });
    response.writeHead(204).end();
  });
});
afterAll(async () => {
  await receiver?.close();
  await t?.close();
  await folder?.remove();
});

async function bash(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const run = promisify(execFile);
  const { stdout } = await run('bash', ['-c', script], { cwd: folder.path, env: { ...process.env, ...env } });
  return stdout;
}

describe.skipIf(!hasPrograms('curl', 'jq', 'openssl', 'unzip'))('the API by hand', () => {
  it.each(
    firstOf([
      ['several chunks', 'A 001 (ü).mov', 40 * 1024 * 1024 + 17],
      ['no bytes at all', 'nothing.txt', 0],
    ]),
  )('sends and fetches a file of %s', async (_, name, size) => {
    const bytes = randomBytes(size);
    await writeFile(join(folder.path, name), bytes);
    const script = blocks.filter(({ language, mark }) => language === 'bash' && mark === '').map(({ text }) => text);
    expect(script.length).toBeGreaterThan(10);
    const said = await bash(script.join('\n'), { LONGSHORE: t.url, EMAIL: ownerEmail, PASSWORD: ownerPassword, FILE: name });
    expect((await readFile(join(folder.path, 'fetched', name))).equals(bytes)).toBe(true);
    const { stdout } = await promisify(execFile)('unzip', ['-p', join(folder.path, 'package.zip')], {
      encoding: 'buffer',
      maxBuffer: 2 * size + 1,
    });
    expect(stdout.equals(bytes)).toBe(true);
    expect(said).toContain(`file\t\t${name}`);
    expect(said).toMatch(/\/d\/[\w-]+\?secret=/);
    await bash('rm -r package.zip fetched');
  });

  it.each(
    firstOf([
      ['a code and a form', { has_access_code: true, access_code: 'harbour light' }, true],
      ['neither', {}, false],
    ]),
  )('sends through a Portal with %s', async (_, fields, withForm) => {
    const portal = await newPortal(t, fields);
    if (withForm) {
      const camera = { ...formField('camera', { type: 'dropdown', visibility: 'required' }), options: ['A', 'B'] };
      expect((await askForm(t, portal.id, { fields: [camera, formField('notes')] })).status).toBe(201);
    }
    await writeFile(join(folder.path, 'A001.mov'), randomBytes(1_000));
    const plain = blocks.filter(({ language, mark }) => language === 'bash' && mark === '').map(({ text }) => text);
    const helpers = plain.filter((text) => /^(json|send_blueprint|upload_chunk)\(\)/m.test(text));
    expect(helpers).toHaveLength(3);
    // The helper of blueprints stands in one block with a step of the Team's upload.
    const script = [
      ...helpers.map((text) => text.replace(/^upload_id=.*|^(extras|count)=.*|^for [\s\S]*?^done$/gm, '')),
      ...every('portal'),
    ];
    const answer = await bash(`${script.join('\n')}\nprintf '%s' "$package_id"`, {
      LONGSHORE: t.url,
      PORTAL: portal.subdomain,
      SENDER: 'leo@example.com',
      ACCESS_CODE: 'harbour light',
      FILE: 'A001.mov',
    });
    const { body } = await t.call<{ records: { id: string; state: string; sender: string; total_files: number }[] }>(
      'GET',
      `/v1.1/portals/${portal.id}/packages`,
      { headers: { 'x-api-key': t.apiKey } },
    );
    const sent = body.records.find(({ id }) => answer.endsWith(id));
    // The form's answer comes along as a file.
    expect(sent).toMatchObject({ state: 'finalized', sender: 'leo@example.com', total_files: withForm ? 2 : 1 });
  });

  it('stops at a wrong password, and says why', async () => {
    const [, helpers, signIn] = blocks.filter(({ language }) => language === 'bash');
    const script = `${helpers!.text}${signIn!.text}`;
    const failed = bash(script, { LONGSHORE: t.url, EMAIL: ownerEmail, PASSWORD: 'wrong' });
    await expect(failed).rejects.toMatchObject({ code: 22 });
  });

  it.skipIf(!hasRgw())('connects a bucket, and validates it', async () => {
    const rgw = await borrowRgw();
    const user = await rgw.newUser();
    const { name, stored } = await rgw.newBucket(user);
    const [, helpers, signIn] = blocks.filter(({ language }) => language === 'bash');
    const said = await bash(`${helpers!.text}${signIn!.text}${unset(marked('connection'))}`, {
      LONGSHORE: t.url,
      EMAIL: ownerEmail,
      PASSWORD: ownerPassword,
      ENDPOINT: rgw.endpoint,
      BUCKET: name,
      KEY_ID: user.accessKeyId,
      KEY_SECRET: user.secretAccessKey,
    });
    expect(said).toBe(['true', ...['put', 'list', 'get', 'abort', 'delete'].map((step) => `${step}\ttrue\t`), ''].join('\n'));
    expect(await stored()).toEqual([]);

    const sender = await sentPackage(t, { 'roll/A001.mov': randomBytes(1_000) }, { name: 'Day 12' });
    const own = `package_id=${sender.package.id}; package_token=${sender.package.access_token}; connection_id=$(json "$LONGSHORE/v1/teams/$team/cloud_connections" --header "X-API-KEY: $api_key" | jq -r '.[0].id')`;
    const moved = await bash(`${helpers!.text}${signIn!.text}${own}\n${marked('delivery')}`, {
      LONGSHORE: t.url,
      EMAIL: ownerEmail,
      PASSWORD: ownerPassword,
    });
    expect(moved.trim()).toBe('complete: 1 of 1 files');
    expect(await stored()).toEqual(['Longshore/Day 12/roll/A001.mov']);
    await rgw.close();
  });

  it.skipIf(!hasRgw())('brings files of a bucket into a package', inAll('imports, by the same calls'), async () => {
    const rgw = await borrowRgw();
    const user = await rgw.newUser();
    const credentials = { accessKeyId: user.accessKeyId, secretAccessKey: user.secretAccessKey };
    const client = new S3Client({ endpoint: rgw.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    // With a dot in its name it is addressed by path, which this server needs.
    const Bucket = `camera.${randomUUID()}`;
    await client.send(new CreateBucketCommand({ Bucket }));
    for (const Key of ['dailies/day 12/a.mov', 'dailies/day 12/b/c.mov', 'dailies/other.mov']) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: 'bytes' }));
    }
    client.destroy();
    const [, helpers, signIn] = blocks.filter(({ language }) => language === 'bash');
    const listing = `json "$LONGSHORE/v1/packages/$package_id/files" --header "X-Package-Token: $package_token" |
      jq -r '.[] | select(.kind == "file" and (.path | startswith("Day 12"))) | .path + "/" + .name'`;
    const said = await bash(`${helpers!.text}${signIn!.text}${unset(marked('import'))}${listing}`, {
      LONGSHORE: t.url,
      EMAIL: ownerEmail,
      PASSWORD: ownerPassword,
      ENDPOINT: rgw.endpoint,
      BUCKET: Bucket,
      KEY_ID: user.accessKeyId,
      KEY_SECRET: user.secretAccessKey,
    });
    expect(said).toBe('complete\t2\t10\t\nDay 12/a.mov\nDay 12/b/c.mov\n');
    await rgw.close();
  });

  it('checks the signature of a webhook, by hand and in Node', async () => {
    const [, helpers, signIn] = blocks.filter(({ language }) => language === 'bash');
    const made = await bash(`${helpers!.text}${signIn!.text}${unset(marked('webhook'))}printf '%s %s' "$webhook_id" "$webhook_secret"`, {
      LONGSHORE: t.url,
      EMAIL: ownerEmail,
      PASSWORD: ownerPassword,
      HOOK_URL: receiver.url,
    });
    const [id, secret] = made.split(' ') as [string, string];
    const portal = await newPortal(t, { custom_webhooks: [{ id }] });
    const sender = await portalSender(t, portal.id);
    await sender.create({ kind: 'directory', name: 'folder' });
    expect((await sender.finalize()).status).toBe(204);
    await eventually('the webhook is called', async () => heard.length > 0);
    const [event] = heard;
    const given = {
      webhook_secret: secret,
      id: event!.headers['webhook-id']!,
      timestamp: event!.headers['webhook-timestamp']!,
      signature: event!.headers['webhook-signature']!,
    };
    await writeFile(join(folder.path, 'body'), event!.body);
    expect(await bash(marked('check'), given)).toBe('genuine\n');

    const program = join(folder.path, 'genuine.mjs');
    await writeFile(program, blocks.find(({ language }) => language === 'js')!.text);
    const { isGenuine } = (await import(pathToFileURL(program).href)) as {
      isGenuine(headers: Record<string, string>, body: Buffer, secret: string): boolean;
    };
    expect(isGenuine(event!.headers, event!.body, secret)).toBe(true);
    const forged = Buffer.concat([event!.body, Buffer.from(' ')]);
    expect(isGenuine(event!.headers, forged, secret)).toBe(false);
    await writeFile(join(folder.path, 'body'), forged);
    await expect(bash(marked('check'), given)).rejects.toMatchObject({ code: 1 });
  });
});
