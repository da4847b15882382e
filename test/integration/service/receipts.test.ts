import { createHash, createPublicKey, verify } from 'node:crypto';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import type { ReceiptClaims, ReceiptEntry } from '#protocol/receipt.ts';
import { pathHash } from '#service/files/plan.ts';
import { newId } from '#service/ids.ts';
import { newSender, openLink, type Sender, sampleTime } from '#test/support/service/sender.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** Receipts of packages (docs/decisions/0019), read by nothing of ours. */

let t: TestService;
beforeAll(async () => {
  t = await startTestService();
});
afterAll(() => t?.close());

interface Read {
  readonly jws: string;
  readonly rest: string;
  readonly entries: ReceiptEntry[];
  readonly claims: ReceiptClaims;
}

async function fetchReceipt(packageId: string, token: string): Promise<Response> {
  return await fetch(`${t.url}/v1/packages/${packageId}/receipt`, { headers: { 'x-package-token': token } });
}

function read(text: string): Read {
  const end = text.indexOf('\n') + 1;
  const jws = (JSON.parse(text.slice(0, end)) as { receipt: string }).receipt;
  const rest = text.slice(end);
  return {
    jws,
    rest,
    entries: rest
      .trimEnd()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ReceiptEntry),
    claims: JSON.parse(Buffer.from(jws.split('.')[1]!, 'base64url').toString()) as ReceiptClaims,
  };
}

async function receiptOf(sender: Sender): Promise<Read> {
  const answer = await fetchReceipt(sender.package.id, sender.package.access_token);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  return read(await answer.text());
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the receipt of a package', () => {
  it('names every file with size, time and digest, and is signed by the published key', async () => {
    const sender = await newSender(t, { name: 'Tag 12 – Grüße' });
    await sender.send('A001/ü', 'clip 日本.mov', Buffer.from('moving pictures'));
    await sender.send('', 'zero.bin', Buffer.alloc(0));
    await sender.create({ kind: 'directory', path: 'A001', name: 'empty' });
    expect((await sender.finalize()).status).toBe(204);

    const { jws, rest, entries, claims } = await receiptOf(sender);
    const listed = (await t.call<Record<string, unknown>[]>('GET', `/v1/packages/${sender.package.id}/files`, { headers: sender.token }))
      .body;
    const chunk_size = 100 * 1024 * 1024;
    const digest = (name: string) => listed.find((one) => one['name'] === name)!['digest'];
    expect(entries).toHaveLength(3);
    expect(entries).toEqual(
      expect.arrayContaining([
        { kind: 'directory', path: 'A001/empty', last_modified: sampleTime },
        { kind: 'file', path: 'zero.bin', size: 0, last_modified: sampleTime, chunk_size, digest: digest('zero.bin') },
        { kind: 'file', path: 'A001/ü/clip 日本.mov', size: 15, last_modified: sampleTime, chunk_size, digest: digest('clip 日本.mov') },
      ]),
    );
    // In the order that the format says, so that whoever has the files can write the same text.
    const order = entries.map(({ path }) => sha256(path.includes('/') ? path : `/${path}`));
    expect(order).toEqual(order.toSorted());
    expect(claims).toEqual({
      iss: t.url,
      iat: expect.any(Number),
      package_id: sender.package.id,
      package_name: 'Tag 12 – Grüße',
      files: 2,
      directories: 1,
      bytes: 15,
      manifest: `sha256:${sha256(rest)}`,
    });

    const keys = await t.call<JSONWebKeySet>('GET', '/.well-known/jwks.json');
    expect(keys.status).toBe(200);
    const { protectedHeader } = await compactVerify(jws, createLocalJWKSet(keys.body));
    const [key] = keys.body.keys;
    expect(key).toEqual({ kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: expect.any(String), alg: 'EdDSA', use: 'sig' });
    expect(protectedHeader).toEqual({
      alg: 'EdDSA',
      typ: 'longshore-receipt',
      kid: key!.kid,
      jwk: { kty: 'OKP', crv: 'Ed25519', x: key!.x },
    });
    // And by plain Ed25519, of nobody's JWS library.
    const [head, body, signature] = jws.split('.');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key!.x! }, format: 'jwk' });
    expect(verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature!, 'base64url'))).toBe(true);
    expect(verify(null, Buffer.from(`${head}.${body} `), publicKey, Buffer.from(signature!, 'base64url'))).toBe(false);
  });

  it('is the same for whoever opened a link, and stays so when the package is renamed', async () => {
    const sender = await newSender(t);
    await sender.send('', 'a.mov', Buffer.from('a'));
    await sender.finalize();
    const before = await receiptOf(sender);
    await t.call('PUT', `/v1/packages/${sender.package.id}`, { headers: sender.token, body: { name: 'Renamed' } });
    const link = await t.call<{ id: string; download_secret: string }>('POST', `/v1/packages/${sender.package.id}/links`, {
      headers: sender.token,
      body: {},
    });
    const opened = (await openLink(t, link.body)).body as LinkInfo;
    const answer = await fetchReceipt(sender.package.id, opened.package_token);
    expect(read(await answer.text())).toEqual(before);
  });

  it('is refused before the package is finalized, and once it has ended', async () => {
    const sender = await newSender(t);
    await sender.send('', 'a.mov', Buffer.from('a'));
    const early = await fetchReceipt(sender.package.id, sender.package.access_token);
    expect([early.status, await early.json()]).toEqual([409, { code: 196612, message: expect.stringContaining('not finalized yet') }]);
    await sender.finalize();
    await t.call('DELETE', `/v1/packages/${sender.package.id}`, { headers: sender.token });
    expect((await fetchReceipt(sender.package.id, sender.package.access_token)).status).toBe(410);
  });

  it('is signed on demand where an earlier version has finalized the package, once', async () => {
    const sender = await newSender(t);
    await sender.send('', 'a.mov', Buffer.from('a'));
    await sender.finalize();
    const { db } = t.service.services;
    await db.deleteFrom('receipts').where('package_id', '=', sender.package.id).execute();
    const [first, second] = await Promise.all([receiptOf(sender), receiptOf(sender)]);
    expect(first).toEqual(second);
    expect(first.claims.manifest).toBe(`sha256:${sha256(first.rest)}`);
    expect(await receiptOf(sender)).toEqual(first);
  });

  it('lists each file once, also over several pages of reading', async () => {
    const sender = await newSender(t);
    const { db } = t.service.services;
    const count = 4_500;
    const rows = Array.from({ length: count }, (_, index) => ({
      id: newId(),
      package_id: sender.package.id,
      place: Buffer.from(pathHash('many', `f${index}`), 'hex'),
      kind: 'file' as const,
      path: 'many',
      name: `f${index}`,
      last_modified: null,
      state: 'finalized' as const,
      size: index,
      chunk_size: 5_242_880,
      etag: 'e',
      digest: `blake3:${sha256(String(index))}`,
      created_at: new Date(),
    }));
    for (let from = 0; from < count; from += 1_000)
      await db
        .insertInto('files')
        .values(rows.slice(from, from + 1_000))
        .execute();
    expect((await sender.finalize()).status).toBe(204);
    const { entries, claims, rest } = await receiptOf(sender);
    expect(new Set(entries.map(({ path }) => path)).size).toBe(count);
    expect(entries).toHaveLength(count);
    expect(entries[0]!.last_modified).toBe('0001-01-01T00:00:00.000Z');
    expect(claims).toMatchObject({ files: count, bytes: (count * (count - 1)) / 2, manifest: `sha256:${sha256(rest)}` });
  });

  it('has no digest for a file without one', async () => {
    const sender = await newSender(t);
    await sender.send('', 'a.mov', Buffer.from('a'));
    await t.service.services.db.updateTable('files').set({ digest: null }).where('package_id', '=', sender.package.id).execute();
    await sender.finalize();
    expect((await receiptOf(sender)).entries).toEqual([
      { kind: 'file', path: 'a.mov', size: 1, last_modified: sampleTime, chunk_size: 100 * 1024 * 1024 },
    ]);
  });
});

it('has the same key after a restart', async () => {
  const { key } = t.service.services.receipts;
  const { createReceiptSigner } = await import('#service/receipts/signer.ts');
  const { readSecret } = await import('#service/data-folder.ts');
  expect((await createReceiptSigner(await readSecret(t.dataDir))).key).toEqual(key);
});
