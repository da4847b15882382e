import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { calculateJwkThumbprint } from 'jose';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readReceipt } from '#engine/receipt/read-receipt.ts';
import { parseConfig } from '#main/config/read-file.ts';
import { type ReceiptEntry, receiptAlgorithm, receiptHead, receiptLine, receiptSignatureType } from '#protocol/receipt.ts';
import { acceptedBatchGet, batchGetHead, parseBatchGetBody, parseBatchGetHead } from '#protocol/storage/batch-get.ts';
import { acceptedBatchPut, parseBatchPutAnswer, parseBatchPutHead } from '#protocol/storage/batch-put.ts';
import { answerRange } from '#protocol/storage/ranges.ts';
import { childOf, readXml, textOf, type XmlNode } from '#providers/http/xml.ts';
import { errorDocument, initiateResult } from '#storage/xml.ts';
import { corpusOf, fuzz, fuzzTimeout, mutated } from '#test/support/faults/fuzz.ts';

/** What strangers send and others answer, against a plain reading of it that is too slow or too strict for the product. */

const confusing = ['{', '}', '[', ']', '"', ',', ':', '-', '1e9', 'null', '\\u0000', '/', '\n', '9007199254740993'];
const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

test(
  'the heads of batches are taken where they are lists of what they should be, and nothing else is',
  async () => {
    const part = fc.record({
      target: fc.string({ maxLength: 20 }).map((text) => `/${text}`),
      length: fc.nat({ max: acceptedBatchPut.partBytes }),
    });
    const text = fc.array(part, { maxLength: 5 }).map((parts) => JSON.stringify(parts));
    await fuzz(
      mutated(text, confusing),
      (line) => {
        const value = json(line);
        const isPart = (one: unknown) => {
          const { target, length } = (one ?? {}) as { target?: unknown; length?: unknown };
          return (
            typeof target === 'string' &&
            target[0] === '/' &&
            Number.isInteger(length) &&
            Number(length) >= 0 &&
            Number(length) <= 1_048_576
          );
        };
        const expected = Array.isArray(value) && value.length > 0 && value.length <= 1_000 && value.every(isPart);
        expect('malformed' in parseBatchPutHead(line)).toBe(!expected);
        const targets = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one.startsWith('/'));
        expect('malformed' in parseBatchGetBody(line)).toBe(!targets);
        const answered = parseBatchPutAnswer(`{"parts":${line}}`, 2);
        expect(answered === null).toBe(
          !(Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'object' && one !== null)),
        );
      },
      { corpus: corpusOf<string>('batch-heads') },
    );
  },
  fuzzTimeout,
);

test(
  'the head of a batch that comes down says no length beyond what was asked for, however it is changed',
  async () => {
    const one = fc.oneof(
      fc.record({ length: fc.nat({ max: acceptedBatchGet.objectBytes }) }),
      fc.record({ status: fc.constantFrom(404, 410, 503), code: fc.string(), message: fc.string() }),
    );
    const cases = fc
      .array(one, { minLength: 1, maxLength: 5 })
      .chain((answers) => fc.tuple(fc.constant(answers), mutated(fc.constant(batchGetHead(answers as never).trimEnd()), confusing)));
    await fuzz(cases, ([answers, line]) => {
      const asked = answers.map((answer) => ('length' in answer ? answer.length : 7));
      expect(parseBatchGetHead(batchGetHead(answers as never).trimEnd(), asked)).toEqual(
        answers.map((answer) => ('length' in answer ? answer.length : null)),
      );
      const lengths = parseBatchGetHead(line, asked);
      if (lengths === null) return;
      expect(lengths).toHaveLength(asked.length);
      for (const length of lengths)
        expect(length === null || (Number.isInteger(length) && length >= 0 && length <= Math.max(...asked))).toBe(true);
    });
  },
  fuzzTimeout,
);

test(
  'a range answers the bytes that a reader of RFC 9110 would count out',
  async () => {
    const number = fc.oneof(
      fc.nat({ max: 12 }).map(String),
      fc.constantFrom('', '00', '007', '99999999999999999', '+1', '-1', '1.0', ' 1'),
    );
    const header = fc.oneof(
      fc.tuple(number, number).map(([first, last]) => `bytes=${first}-${last}`),
      mutated(fc.constant('bytes=3-5'), ['-', '=', ',', ' ', '9', 'b']),
    );
    await fuzz(fc.tuple(header, fc.nat({ max: 10 })), ([text, size]) => {
      const bytes = Array.from({ length: size }, (_, index) => index);
      const answer = answerRange(text, size);
      const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(text.trim()) ?? [];
      // Digits beyond what a file can have are as good as infinite, and may be refused as no range at all.
      if (first === undefined || last === undefined || (first === '' && last === '') || first.length > 16 || last.length > 16) {
        expect(answer).toEqual({ kind: 'whole' });
        return;
      }
      if (first !== '' && last !== '' && Number(last) < Number(first)) return void expect(answer).toEqual({ kind: 'whole' });
      const wanted = bytes.filter((at) =>
        first === '' ? at >= size - Number(last) : at >= Number(first) && (last === '' || at <= Number(last)),
      );
      if (wanted.length === 0) return void expect(answer).toEqual({ kind: 'unsatisfiable' });
      expect(answer).toEqual({ kind: 'part', start: wanted[0], end: wanted.at(-1) });
    });
  },
  fuzzTimeout,
);

/** What XML 1.0 can hold, without the returns that it reads as line feeds. */
const xmlText = fc
  .string({ unit: 'grapheme', maxLength: 30 })
  .filter((text) => !/[^\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text));

test(
  'what our storage says in XML is what a provider reads there, whatever stands in it',
  async () => {
    await fuzz(
      fc.tuple(xmlText, xmlText, xmlText),
      ([bucket, key, id]) => {
        const begun = readXml(Buffer.from(initiateResult(bucket, key, id)), 'InitiateMultipartUploadResult');
        const field = (name: string) => textOf(childOf(begun, name)).trim();
        expect([field('Bucket'), field('Key'), field('UploadId')]).toEqual([bucket, key, id].map((text) => text.trim()));
        expect(textOf(childOf(readXml(Buffer.from(errorDocument('Code', key)), 'Error'), 'Message')).trim()).toBe(key.trim());
      },
      { corpus: corpusOf<[string, string, string]>('xml-texts') },
    );
  },
  fuzzTimeout,
);

test(
  'an answer in XML that is damaged is refused in words, or read as a tree of texts',
  async () => {
    const isTree = (node: XmlNode, depth = 0): boolean =>
      typeof node === 'string' ||
      (depth < 50 &&
        Object.values(node).every((child) => (Array.isArray(child) ? child : [child]).every((one) => isTree(one as XmlNode, depth + 1))));
    const listing = '<?xml version="1.0"?><List xmlns="x"><Contents><Key>a&amp;b</Key><Size>3</Size></Contents><Contents/></List>';
    await fuzz(
      mutated(fc.constant(listing), [
        '<',
        '>',
        '&',
        ';',
        '"',
        '/',
        '<!DOCTYPE a [<!ENTITY b "c">]>',
        '<![CDATA[',
        ']]>',
        '&#0;',
        '&#x10FFFF;',
        '<__proto__>',
        '\0',
      ]),
      (text) => {
        let node: XmlNode;
        try {
          node = readXml(Buffer.from(text), 'List');
        } catch (error) {
          expect(error).toMatchObject({ name: 'ProviderError', code: 'bad_answer' });
          return;
        }
        expect(isTree(node)).toBe(true);
        expect(({} as Record<string, unknown>)['Key']).toBeUndefined();
      },
      { corpus: corpusOf<string>('xml-answers') },
    );
  },
  fuzzTimeout,
);

test(
  'a receipt is read as it was signed, and with any byte changed not at all',
  async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const jwk = publicKey.export({ format: 'jwk' });
    const kid = await calculateJwkThumbprint(jwk as never);
    const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const entry = fc
      .record({
        path: fc.string({ minLength: 1, maxLength: 12 }).map((text) => `x${text.replaceAll(/[^a-z0-9 ]/gi, 'x')}`.trim()),
        size: fc.nat(),
      })
      .map(
        ({ path, size }): ReceiptEntry => ({
          kind: 'file',
          path,
          size,
          last_modified: '2026-01-02T03:04:05Z',
          chunk_size: 5_242_880,
          digest: `blake3:${'0'.repeat(64)}`,
        }),
      );
    const cases = fc.tuple(
      fc.uniqueArray(entry, { minLength: 1, maxLength: 5, selector: ({ path }) => path }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
    );
    await fuzz(
      cases,
      async ([entries, at, flip]) => {
        const lines = entries.map(receiptLine).join('');
        const claims = {
          ...{ iss: 'https://a.example', iat: 1, package_id: '019aa1b2-0000-7000-8000-000000000000', package_name: 'Dailies' },
          ...{ files: entries.length, directories: 0, bytes: entries.reduce((sum, { size = 0 }) => sum + size, 0) },
          manifest: `sha256:${createHash('sha256').update(lines).digest('hex')}`,
        };
        const signed = `${base64({ alg: receiptAlgorithm, typ: receiptSignatureType, kid, jwk })}.${base64(claims)}`;
        const jws = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
        const bytes = Buffer.from(`${receiptHead(jws)}${lines}`);
        const keys = { keys: [{ ...jwk, kid, alg: receiptAlgorithm }] };
        const read = (some: Buffer) => {
          const seen: ReceiptEntry[] = [];
          return readReceipt(
            (async function* () {
              yield some;
            })(),
            keys,
            (more) => void seen.push(...more),
          ).then(({ keyId }) => ({ keyId, seen }));
        };
        expect(await read(bytes)).toEqual({ keyId: kid, seen: entries });
        const changed = Buffer.from(bytes);
        changed[at % bytes.length]! ^= flip;
        const outcome = await read(changed).catch((error: unknown) => error);
        // The last letter of a base64 has bits that count for nothing: then it says the same.
        const isSame = at % bytes.length < bytes.indexOf(10) && !(outcome instanceof Error);
        expect(outcome, `byte ${at % bytes.length}`).toMatchObject(isSame ? { seen: entries } : { error: 'receipt_invalid' });
      },
      { runs: 60 },
    );
  },
  fuzzTimeout,
);

test(
  'a configuration file is read as it was written',
  async () => {
    const key = fc.constantFrom('team', 'portal', 'name', 'listen', 'x-y');
    const value = fc.oneof(
      xmlText,
      fc.array(xmlText, { maxLength: 3 }),
      fc.constant(null),
      fc.nat().map(String),
      fc.constantFrom('true', 'no', '0o17', '1e3', '~', '1:20'),
    );
    await fuzz(fc.dictionary(key, value, { minKeys: 1 }), (settings) => {
      const { entries } = parseConfig(stringify(settings), 'a.yaml');
      expect(Object.fromEntries(entries.map(({ key, value }) => [key, value]))).toEqual({ ...settings });
    });
  },
  fuzzTimeout,
);
