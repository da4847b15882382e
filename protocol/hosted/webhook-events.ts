import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import type { OutboundCall } from '../route.ts';
import { Bytes, DateTime, Id, Literals, names } from '../schema.ts';
import { PackageState } from './packages.ts';
import { CloudTransfer } from './transfers.ts';

/** What is sent to webhooks: contract/webhooks.md §1, §2. */

export const webhookEvents = [
  ...(['package.created', 'package.finalized', 'package.downloaded', 'package.expires', 'package.failed'] as const),
  ...(['transfer.started', 'transfer.complete', 'transfer.error'] as const),
  ...(['package.virus_found', 'package.scanned', 'quota.warning'] as const),
] as const;
export const WebhookEvent = Literals(webhookEvents);

export const Extras = Type.Record(Type.String(), Type.String({ maxLength: limits.textLength }), {
  propertyNames: names(128),
  maxProperties: limits.webhookExtras,
  description: 'Added to each body.',
  examples: [{ project: 'northlight' }],
});
const PackageObject = Type.Object({
  type: Literals(['package']),
  id: Id,
  name: Type.String(),
  portal_id: Type.Optional(Id),
  sender: Type.String(),
  size: Bytes,
  state: PackageState,
  total_files: Type.Integer({ minimum: 0 }),
  created_at: DateTime,
  updated_at: DateTime,
});

const TransferObject = Type.Object({
  type: Literals(['transfer']),
  ...Type.Pick(CloudTransfer, [
    'id',
    'package_id',
    'cloud_connection_id',
    'direction',
    'provider',
    'state',
    'progress',
    'error',
    'attempts',
    'created_at',
    'updated_at',
  ]).properties,
  name: Type.String({ description: "The package's." }),
  portal_id: Type.Optional(Id),
});

const NoticeObject = Type.Object({
  ...PackageObject.properties,
  expiry: DateTime,
  link: Type.Optional(
    Type.Object(
      {
        id: Id,
        email: Type.String({ description: 'Empty if the link is for nobody in particular.' }),
        verified: Type.Optional(
          Type.Boolean({ description: 'Of a download: it was proved with a mailed code that the address is theirs.', examples: [false] }),
        ),
      },
      { description: 'The link that was downloaded through, or whose mail failed.' },
    ),
  ),
  failure: Type.Optional(
    Type.Object(
      { reason: Type.String({ description: 'In English.' }), transfer_id: Type.Optional(Id) },
      { description: 'With `package.failed`.' },
    ),
  ),
});

const VirusObject = Type.Object({
  ...PackageObject.properties,
  virus: Type.Object(
    {
      file_id: Id,
      path: Type.String({ description: 'The folder inside the package that holds the file; empty for the root.' }),
      name: Type.String({ examples: ['invoice.docm'] }),
      virus: Type.String({ description: "The scanner's name for it.", examples: ['Win.Trojan.Agent-1'] }),
    },
    { description: 'The first that was found. There may be more.' },
  ),
});

const ScanObject = Type.Object({
  ...PackageObject.properties,
  contains_virus: Type.Boolean(),
  scan: Type.Object(
    {
      files: Type.Integer({ minimum: 0, examples: [3] }),
      infected: Type.Integer({ minimum: 0, description: 'Files in which a virus was found.', examples: [0] }),
      not_scanned: Type.Integer({ minimum: 0, description: 'Files of which nothing is known, as they are too large or cannot be read.' }),
    },
    { description: 'What was looked at. Folders are no files.' },
  ),
});

const QuotaObject = Type.Object({
  type: Type.Literal('quota'),
  id: Id,
  team_id: Id,
  portal_id: Type.Optional(Id),
  name: Type.String({ description: "The Portal's, or the Team's.", examples: ['Northlight'] }),
  quota: Literals(['team_storage', 'team_traffic', 'portal_storage']),
  percent: Type.Union([Type.Literal(80), Type.Literal(100)], {
    description: 'How much is used, at least; 100 as well where something was refused.',
    examples: [80],
  }),
  limit: Bytes,
  used: Bytes,
});

const payloadFacts = {
  event_id: Id,
  event_time: DateTime,
  body_extras: Extras,
  test: Type.Optional(Type.Literal(true, { description: 'Nothing happened: somebody tries the webhook.' })),
} as const;

/** The body that a webhook receives of a package. */
const PackagePayload = Type.Object(
  {
    ...payloadFacts,
    event_type: Literals(['package.created', 'package.finalized']),
    object: PackageObject,
    custom_webhook_id: Id,
  },
  { title: 'WebhookPayload' },
);

/** The body that a webhook receives of what happened to a complete package. */
const NoticePayload = Type.Object(
  {
    ...payloadFacts,
    event_type: Literals(['package.downloaded', 'package.expires', 'package.failed']),
    object: NoticeObject,
    custom_webhook_id: Id,
  },
  { title: 'NoticeWebhookPayload' },
);

/** The body of an event of a transfer. */
const TransferPayload = Type.Object(
  {
    ...payloadFacts,
    event_type: Literals(['transfer.started', 'transfer.complete', 'transfer.error']),
    object: TransferObject,
    custom_webhook_id: Id,
  },
  { title: 'TransferWebhookPayload' },
);

/** The body that a webhook receives of a virus. */
const VirusPayload = Type.Object(
  { ...payloadFacts, event_type: Type.Literal('package.virus_found'), object: VirusObject, custom_webhook_id: Id },
  { title: 'VirusWebhookPayload' },
);

/** The body that a webhook receives once all files of a package were scanned. */
const ScanPayload = Type.Object(
  { ...payloadFacts, event_type: Type.Literal('package.scanned'), object: ScanObject, custom_webhook_id: Id },
  { title: 'ScanWebhookPayload' },
);

/** The body of an event of a limit. */
const QuotaPayload = Type.Object(
  { ...payloadFacts, event_type: Type.Literal('quota.warning'), object: QuotaObject, custom_webhook_id: Id },
  { title: 'QuotaWebhookPayload' },
);
export type WebhookPayload =
  | Static<typeof PackagePayload>
  | Static<typeof NoticePayload>
  | Static<typeof TransferPayload>
  | Static<typeof QuotaPayload>
  | Static<typeof VirusPayload>
  | Static<typeof ScanPayload>;

/** The requests to a webhook's address, by event: the contract of the receiver. */
export const webhookCalls: Readonly<Record<(typeof webhookEvents)[number], OutboundCall>> = (() => {
  const common = {
    // Or PUT, if the webhook is configured so: OpenAPI allows one path item per name.
    method: 'POST',
    headers: [
      { name: 'webhook-id', description: "The event's id, the same at each attempt: by it a receiver knows an event that it has had." },
      { name: 'webhook-timestamp', description: 'When this attempt was made, in seconds since 1970.' },
      {
        name: 'webhook-signature',
        description: "Standard Webhooks: `v1,` and the HMAC-SHA256 of `id.timestamp.body` under the webhook's secret, in base64.",
      },
    ],
    body: PackagePayload,
  } as const;
  const ofNotice = { ...common, body: NoticePayload } as const;
  const ofTransfer = { ...common, body: TransferPayload } as const;
  return {
    'package.created': { ...common, summary: 'A package was made. Its `size` and `total_files` are 0 yet.' },
    'package.finalized': { ...common, summary: 'A package is complete.' },
    'package.downloaded': { ...ofNotice, summary: 'A download of a package has begun, for the first time by this link.' },
    'package.expires': { ...ofNotice, summary: 'A package expires within 24 hours.' },
    'package.failed': {
      ...ofNotice,
      summary: 'A transfer of a package failed, or the mail with one of its links could not be delivered, and `failure` says why.',
    },
    'package.virus_found': { ...common, body: VirusPayload, summary: 'A virus was found in a file of a package, for the first time.' },
    'package.scanned': {
      ...common,
      body: ScanPayload,
      summary: 'All files of a package were scanned for viruses, but for those that cannot be.',
    },
    'transfer.started': { ...ofTransfer, summary: 'A transfer to connected storage moves, for the first time.' },
    'transfer.complete': { ...ofTransfer, summary: 'All that a transfer was to bring has arrived.' },
    'transfer.error': { ...ofTransfer, summary: 'A transfer failed, and `error` says why. It is not tried again by itself.' },
    'quota.warning': { ...common, body: QuotaPayload, summary: 'Most of what a Team or a Portal may use is used, or all of it.' },
  };
})();
