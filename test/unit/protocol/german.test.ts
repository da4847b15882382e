import { readdirSync, readFileSync } from 'node:fs';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { checkAuthorization } from '#protocol/authorization.ts';
import { inGerman } from '#protocol/german/in-german.ts';
import { germanSentences } from '#protocol/german/index.ts';
import { parseNamePattern } from '#protocol/name-pattern.ts';
import { providerNames } from '#protocol/providers.ts';
import { patternRules } from '#protocol/schema.ts';
import { ruleOf } from '#protocol/schema-rules.ts';
import { checkSas, notesOn, readSas } from '#providers/azure/sas.ts';
import { ProviderError } from '#providers/errors.ts';
import { networkError } from '#providers/http/network-errors.ts';
import { s3Error } from '#providers/s3/errors.ts';
import { placeholder, saidSentences } from '#test/support/said-sentences.ts';
import { fieldsOf, providerOf } from '#web/console/integrations/connection-draft.ts';

const german = (text: string) => inGerman(germanSentences, text);

it.each([
  ['The field name must not be empty.', 'Das Feld name darf nicht leer sein.'],
  [
    'subdomain: dailies is taken by another Portal. Choose another.',
    'subdomain: dailies gehört schon zu einem anderen Portal. Wählen Sie eine andere.',
  ],
  ['It is longer than max_expiry_days, 30 days.', 'Das ist länger als die längste Zeit, 30 Tage.'],
  ['An option is named twice.', 'Eine Möglichkeit steht doppelt da.'],
  ['This answer belongs to another sign-in. Begin again.', 'Diese Antwort gehört zu einer anderen Anmeldung. Beginnen Sie noch einmal.'],
  ["Your company's sign-in has refused: consent_required", 'Die Anmeldung Ihrer Firma hat abgelehnt: consent_required.'],
  ['Region is needed. Bucket must not be empty.', 'Das wird gebraucht. Darf nicht leer sein.'],
  [
    'verify_recipient: this Team asks every recipient for a mailed code. Leave it out.',
    'verify_recipient: Dieses Team fragt alle Empfänger nach einem gemailten Code. Das lässt sich nicht abwählen.',
  ],
  ['The host name does not resolve.', 'Den Hostnamen gibt es nicht.'],
  ['The connection broke before there was an answer (ECONNRESET).', 'Die Verbindung brach ab, bevor eine Antwort kam (ECONNRESET).'],
  ['The connection broke before there was an answer.', 'Die Verbindung brach ab, bevor eine Antwort kam.'],
  ['It answered 302; redirects are not followed.', 'Die Antwort war 302; Weiterleitungen wird nicht gefolgt.'],
  ['Not tried, since a step before failed.', 'Nicht versucht, da ein Schritt davor scheiterte.'],
  ['Another user has this e-mail address.', 'Diese E-Mail-Adresse gehört schon jemand anderem.'],
  [
    'The endpoint leads into a private network, which this service does not allow. Use a public address, or ask whoever operates the service to start it with --allow-private-connections.',
    'Der Endpunkt liegt in einem privaten Netz, was dieser Dienst nicht erlaubt. Nehmen Sie eine öffentliche Adresse, oder bitten Sie, wer den Dienst betreibt, ihn mit --allow-private-connections zu starten.',
  ],
  [
    'url: this address leads into a private network. Whoever operates the service can allow that by --allow-private-webhooks.',
    'url: Diese Adresse führt in ein privates Netz. Wer den Dienst betreibt, kann das mit --allow-private-webhooks erlauben.',
  ],
  ['This package is not finalized yet.', 'Dieses Paket ist noch nicht fertig.'],
  [
    'Dr. Strange: Reel 1/a.mov: Box has a failure of its own (500). It is tried again; if that goes on, look at https://status.box.com. 3 more could not be delivered.',
    'Dr. Strange: Reel 1/a.mov: Box hat selbst eine Störung (500). Es wird noch einmal versucht; bleibt es dabei, sehen Sie auf https://status.box.com nach. 3 weitere ließen sich nicht liefern.',
  ],
  [
    'The connection to the storage broke (ECONNRESET). It is tried again; if that goes on, check the network.',
    'Die Verbindung zum Speicher brach ab. Es wird noch einmal versucht; bleibt es dabei, prüfen Sie das Netz.',
  ],
])('says %j in German', (text, said) => {
  expect(german(text)).toBe(said);
});

it('leaves what it does not know as it is, as a whole', () => {
  expect(german('Region is needed. The moon is full.')).toBeNull();
  expect(german('The field name must be blue.')).toBeNull();
});

it.each<[string, Record<string, unknown>]>([
  ['type', { type: 'string' }],
  ['type', { type: 'integer' }],
  ['enum', { allowedValues: ['a', 'b'] }],
  ['minLength', { limit: 1 }],
  ['minLength', { limit: 3 }],
  ['maxLength', { limit: 3 }],
  ['minItems', { limit: 1 }],
  ['minItems', { limit: 2 }],
  ['maxItems', { limit: 2 }],
  ['uniqueItems', {}],
  ['minimum', { limit: 1 }],
  ['maximum', { limit: 1 }],
  ['format', { format: 'email' }],
  ['format', { format: 'date-time' }],
  ['format', { format: 'date' }],
  ['format', { format: 'uri' }],
  ...Object.keys(patternRules).map((pattern): [string, Record<string, unknown>] => ['pattern', { pattern }]),
])('knows what the service says of a field: %s %j', (keyword, params) => {
  expect(german(`The field recipients[2] ${ruleOf({ keyword, params, instancePath: '', message: 'no rule' })}.`)).toMatch(
    /^Das Feld recipients\[2\] (?:muss|darf|hat) /,
  );
});

describe.each(providerNames)('the credentials of %s', (name) => {
  it('are wrong in German too', () => {
    const { alternatives } = providerOf(name);
    for (const alternative of alternatives.length > 0 ? alternatives.map((one) => one.name) : ['']) {
      for (const field of fieldsOf({ provider: name, alternative })) {
        for (const value of [undefined, ' ', 'x\ny', '?', 'x'.repeat(100_000)]) {
          const problems = checkAuthorization(
            name,
            value === undefined ? {} : { [field.name]: value },
            providerOf(name).directions[0]!,
            'create',
          );
          for (const { field: at, message } of problems) if (at !== 'authorization') expect(german(message), message).not.toBeNull();
        }
      }
    }
  });
});

it.each([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'AccessDenied',
  'NoSuchBucket',
  'InvalidBucketName',
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'RequestTimeTooSkewed',
  'QuotaExceeded',
  'SlowDown',
  'NotImplemented',
])('says in German what %s of an S3 server means', (name) => {
  const refused = new S3ServiceException({ name, $fault: 'client', $metadata: { httpStatusCode: 400 } });
  const failure = s3Error(refused, new Date());
  expect(failure).toBeInstanceOf(ProviderError);
  expect(german((failure as ProviderError).message)).not.toBeNull();
});

it.each(['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'ETIMEDOUT', 'ECONNRESET'])('says in German what %s means', (code) => {
  expect(german(networkError(Object.assign(new Error(code), { code })).message)).not.toBeNull();
});

it.each([
  ['no SAS', 'service_to_cloud'],
  ['sv=1&sig=x&sr=b', 'service_to_cloud'],
  ['sv=1&sig=x&sr=d', 'service_to_cloud'],
  ['sv=1&sig=x&ss=f&srt=s&spr=https', 'service_to_cloud'],
  ['sv=1&sig=x&ss=b&srt=co&sp=rl', 'service_to_cloud'],
  ['sv=1&sig=x&ss=b&srt=co&sp=rwdl&spr=https', 'service_to_cloud'],
] as const)('says in German what is wrong with the SAS %j', (query, direction) => {
  const refused = () => checkSas(readSas(query), { direction, https: false });
  expect(refused).toThrow(ProviderError);
  try {
    refused();
  } catch (error) {
    expect(german((error as Error).message), (error as Error).message).not.toBeNull();
  }
});

it('says in German what is worth knowing of a SAS that works', () => {
  const now = new Date('2026-11-28T08:00:00Z');
  const ends = ['2026-11-28T09:00:00Z', '2026-11-29T09:00:00Z', '2026-12-05T09:00:00Z'];
  const notes = ends.flatMap((end) => notesOn(readSas(`sig=x&si=films&sip=192.0.2.1&se=${end}`), { now, https: false }));
  expect(notes).toHaveLength(12);
  expect(notes[0]).toContain('in less than a day');
  for (const note of notes) expect(german(note), note).not.toBeNull();
});

it.each(['NL_{numbers}', '{digits', '{digits}'.repeat(200)])('knows what is wrong with the pattern %j', (pattern) => {
  const parsed = parseNamePattern(pattern);
  expect(parsed.ok).toBe(false);
  if (!parsed.ok) expect(german(`it ${parsed.problem}.`)).not.toBeNull();
});

/** What a program alone reads, and nobody sees. */
const unseen = new Set([
  'Another process works on this transfer now.',
  'The bytes of a part were read after its buffers had been given back.',
  'The storage copies nothing for this transfer.',
  "All spellings of a name are taken, though the last one is nobody else's.",
  'Other entries of the transfer have these paths.',
  'The storage has other bytes than it confirmed.',
  'Another process scans this package now, or it is gone.',
  'Only the files of a cloud_to_service connection are listed.',
  'The field prev_key must be that of the last page of this folder, or left out.',
  'This token reads the package. To download, open one of its links.',
  'A folder is final as soon as it is made.',
  'The storage still has an object that it was told to delete.',
  'A stored file is not as long as it was when it was received.',
  'A transfer with this token is handed over to nobody.',
  'The body must be a JSON object.',
  'Only the pages of this service sign in by a cookie. Programs sign in by POST /v1/auth, and get a user token.',
  'The field password is not taken: people choose their own when they accept the invitation that is mailed to them.',
  // A storage gateway.
  'A storage gateway takes files one by one.',
  'A task removes only files that it has added itself.',
  'The task of a storage gateway takes files, and no receipt.',
  `The body is nested more than ${placeholder} levels deep.`,
  'This task is not yours any more.',
  `${placeholder} Put it down, and remove what is unfinished of it.`,
  'Who made the package finalizes it, and not the task of a storage gateway.',
  // Who starts the service, and reads its log or its description.
  'This database belongs to a service with another key. Copy the file secret.key from the data folder of that service into this one, then start again.',
  `The owner's e-mail address ${placeholder} is not one. Give it like mia@example.com.`,
  `The owner's password must have ${placeholder} to ${placeholder} characters.`,
  `The Team's name must have 1 to ${placeholder} characters, and nothing that turns the direction of text.`,
  `Port ${placeholder} needs privileges that this user does not have. Choose one above 1023 by --listen.`,
  `${placeholder} is no domain that Portals can have names in. Give it like --base-domain example.com.`,
  `${placeholder} is not the address of a clamd. Give --clamd-url like tcp://127.0.0.1:3310 or unix:///run/clamav/clamd.ctl.`,
  `The virus scanner said nothing for ${placeholder} s.`,
  `The virus scanner cannot be reached (${placeholder}).`,
  'What answers there is no clamd.',
  `The connection to the virus scanner broke before its answer (${placeholder}).`,
  'The service is starting.',
  'Sends large files in packages, and lets recipients download them through links.',
  // Parts of sentences that are tried as a whole (above, and in each form below).
  `The ${placeholder} missingProperty is missing.`,
  'Give them a download password first.',
  'Change their recipients first.',
  // Programs alone are clients of an agent.
  'The agent does not answer. Check that it is still running on its machine.',
  'What answers is not a Longshore agent. Check its address.',
  'The event stream ended.',
  // A token of a link has no console.
  "A link's token brings no files into the package.",
  "A link's token does not use connections of the Team. Bring credentials of your own, in single_use.",
  `A package has at most ${placeholder} transfers with single-use credentials. Download it, or have its Team transfer it by a connection.`,
]);
/** What may stand where the program puts something. */
const samples = ['X1', '3', 'account', 'manage', 'is', 'taken', 'The SAS is for', '3 files without content were'];

/** What these rooms of the service say is for its operator and logs, or has both languages where it stands. */
const notOfPages = new Set(['admin', 'audit', 'backup', 'database', 'doctor', 'integrity', 'mail', 'metrics', 'operator', 'roles']);
const roomsOfService = readdirSync(new URL('../../../service', import.meta.url), { withFileTypes: true })
  .filter((one) => one.isDirectory() && !notOfPages.has(one.name))
  .map((one) => `service/${one.name}`)
  .filter((folder) => saidSentences(folder).some((text) => !unseen.has(text)));

describe.each(['client', 'providers', 'engine/gateway/mount-process', ...roomsOfService])('what %s says', (folder) => {
  const said = saidSentences(folder).filter((text) => !unseen.has(text));

  it.each(said)('has its German: %j', (text) => {
    // A sentence that is put in is one of these, too.
    const own = text.replaceAll(new RegExp(`(^|\\. )${placeholder}(?= [A-Z]|$)`, 'g'), '$1').trim();
    const found = samples.map((sample) => german(own.replaceAll(placeholder, sample)));
    expect(own === '' || found.some((one) => one !== null)).toBe(true);
  });
});

describe('why an image is not taken', () => {
  const files = readdirSync(new URL('../../../service/images', import.meta.url), { recursive: true, withFileTypes: true });
  const source = files.filter((one) => one.isFile()).map((one) => readFileSync(`${one.parentPath}/${one.name}`, 'utf8'));
  const ends = [...source.join('\n').matchAll(/new ImageRefused\(\s*(['`])(.*?)\1/g)].map((match) =>
    match[2]!.replaceAll(/\$\{[^}]*\}/g, '3'),
  );

  it.each([...new Set(ends)])('has its German: the image %s', (end) => {
    expect(german(`data: the image ${end}.`)).toMatch(/^data: (?:Das|Der Stil des) Bild/);
  });
});

/** The lines of a folder's sources that hold a literal. */
const sources = (folder: string): string =>
  readdirSync(new URL(`../../../${folder}`, import.meta.url), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name.endsWith('.ts') && !one.parentPath.includes('protocol/german'))
    .flatMap((one) => readFileSync(`${one.parentPath}/${one.name}`, 'utf8').split('\n'))
    .filter((line) => /['"`]/.test(line) && !/^import |^ *\*/.test(line))
    .join('\n');
/** What of a form stands in it word for word. */
const fixedParts = (form: RegExp): string[] =>
  form.source
    .replaceAll(/^\^|\$$/g, '')
    .split(/\((?:\?:)?(?:\\[()]|[^()])*\)\??|\.[+*]|\\S\+|\\d\+|\\w\+|s\?|\\b/)
    .map((part) =>
      part
        .replaceAll('\\', '')
        .trim()
        .replace(/^it |^must be |^has |^the image |^these portals |^rules/i, '')
        .replaceAll(/^[.:;] |:$/g, '')
        .toLowerCase(),
    );

describe('each form', () => {
  const folders = ['service', 'providers', 'engine/gateway', 'client'];
  const said = [sources('protocol'), ...folders.map(sources), ...folders.flatMap(saidSentences)]
    .join('\n')
    .replaceAll("\\'", "'")
    .toLowerCase();
  it.each(germanSentences)('is still said by the service: %s', (form) => {
    const parts = fixedParts(form).filter((part) => part.length >= 6);
    expect(parts.length).toBeGreaterThan(0);
    for (const part of parts) expect(said.includes(part), part).toBe(true);
  });
});
