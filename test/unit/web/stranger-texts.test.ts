import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hostedRoutes } from '#protocol/hosted/routes.ts';

/**
 * Every text that somebody can write who is no member of a Team: a visitor of a Portal, a recipient, a gateway's agent. What
 * people read of it is written by test/e2e/console/stranger-texts.test.ts as an attack; the rest is read by nobody.
 */
const root = join(import.meta.dirname, '../../..');

/** Where people read it. */
const shown: Readonly<Record<string, string>> = {
  'createPortalPackage.name': 'lists, the page of a package, mails',
  'createPortalPackage.description': 'the page of a package',
  'createFormResponse.*.value': 'the page of a package, the answers of a Portal',
  'createFormResponse.*.value[]': 'the page of a package, the answers of a Portal',
  'createFile.name': 'the files of a package',
  'createFile.path': 'the files of a package',
  'createFiles.files[].name': 'as createFile',
  'createFiles.files[].path': 'as createFile',
  'recordFiles.files[].name': 'as createFile',
  'recordFiles.files[].path': 'as createFile',
  'acceptInvitation.name': 'members, the audit log',
  'createTransfer.single_use.target_directory_id': 'as the transfer that it begins: in the words of a failure',
  'createTransfer.single_use.authorization.*': 'as target_directory_id',
  'pollStorageGateway.mounts[].reason': 'the state of a gateway',
  'answerGatewayTask.items[].id': 'the folders of a connection',
  'answerGatewayTask.items[].name': 'the folders of a connection',
  'answerGatewayTask.steps[].message': 'the check of a connection',
  'answerGatewayTask.error': 'the check of a connection',
  'reportTransfer.error': 'the transfers of a package',
  'putHandoverPart.files[].path': 'the agent before it goes on (test/e2e/continue-dialog.test.ts)',
  'putHandoverPart.files[].name': 'as its path',
};

/** What nobody reads, or what has a form that holds no attack. */
const unseen = {
  'an address or a time': [/:email$/, /:date-time$/],
  'a secret, a token or a proof': [/\.(password|code|token|secret|answer|claim)$/, /query\.token$/, /passkey/, /code_(challenge|verifier)/],
  'an id that is looked up': [/_ids?(\[\])?$/, /upload_id$/, /etag$/, /files\[\]\.id$/, /renew\[\]$/, /partial\[\]$/, /next_key$/],
  'held to a pattern of its own': [/part_number$/, /digest$/, /blake3$/, /app\.(state|redirect_uri)$/],
  'compared with what is there, or the name of a download': [/^startSso\.(company|next)$/, /^createZip\.name$/, /^createTransfer\.files/],
  'the name of a file that was renamed: only in the API': [/^reportTransfer\.renamed/],
} as const;

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

/** The free texts in a schema, by their places. */
function textsIn(schema: Schema | undefined, at: string): readonly string[] {
  if (!schema || schema.const !== undefined || schema.enum !== undefined) return [];
  const { type, anyOf = [], allOf = [], items, properties = {}, patternProperties = {}, additionalProperties } = schema;
  const rest = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [
    ...[...anyOf, ...allOf].flatMap((one) => textsIn(one, at)),
    ...Object.entries(properties).flatMap(([name, one]) => textsIn(one, `${at}.${name}`)),
    ...[...Object.values(patternProperties), ...rest].flatMap((one) => textsIn(one, `${at}.*`)),
    ...(items ? textsIn(items, `${at}[]`) : []),
    ...(type === 'string' ? [schema.format === undefined ? at : `${at}:${schema.format}`] : []),
  ];
}

/** Credentials that are no member's: a management token is one's. */
const isStrangers = (credential: string): boolean => !['user', 'api_key', 'package:manage'].includes(credential);

const written = new Set(
  Object.entries(hostedRoutes as Readonly<Record<string, { credentials: readonly string[]; body?: Schema; query?: Schema }>>)
    .filter(([, { credentials }]) => credentials.some(isStrangers))
    .flatMap(([name, { body, query }]) => [...textsIn(body, name), ...textsIn(query, `${name}.query`)]),
);

it('knows of every text that a stranger can write whether people read it', () => {
  const reasons = Object.values(unseen).flat();
  const open = [...written].filter((text) => !(text in shown) && !reasons.some((pattern) => pattern.test(text)));
  expect(open).toEqual([]);
  // Neither list names what is not there any more.
  expect(Object.keys(shown).filter((text) => !written.has(text))).toEqual([]);
  expect(reasons.filter((pattern) => ![...written].some((text) => pattern.test(text))).map(String)).toEqual([]);
});

const sinks =
  /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|srcdoc|\bDOMParser\b|\beval\(|new Function\(/i;

it('has one place in all pages where text becomes HTML: the preview of a mail, in a frame without scripts', () => {
  const found = ['web', 'ui', 'renderer'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('dist'))
      .map((path) => `${room}/${path}`)
      .filter((path) => sinks.test(readFileSync(join(root, path), 'utf8'))),
  );
  expect(found).toEqual(['web/console/ui/mail-preview/mail-preview.tsx']);
});
