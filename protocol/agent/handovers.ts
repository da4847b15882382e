import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Bytes, Literals } from '../schema.ts';
import { DueAt } from './deadline.ts';
import { AgentTransfer, LocalPath, Priority } from './transfers.ts';

/** Transfers that began in a browser: contract/agent.md §15. */

const Count = Type.Integer({ minimum: 0, examples: [3] });

const Link = Type.String({
  minLength: 1,
  maxLength: 4_096,
  description: 'The address `longshore://continue?…` that the browser shows.',
  examples: ['longshore://continue?service=https%3A%2F%2Fshare.example.com&code=q4pVb0xZr1k2n3m4o5p6q7r8s9t0u1v2w3x4y5z6A7B'],
});

export const PreviewHandover = Type.Object({ link: Link });

export const HandoverPreview = Type.Object(
  {
    kind: Literals(['upload', 'download']),
    service_url: Type.String({ examples: ['https://share.example.com'] }),
    package_name: Type.String({ examples: ['Dailies, day 12'] }),
    sender: Type.String({ examples: ['mia@example.com'] }),
    portal_name: Type.String({ description: 'Of uploads through a Portal; else empty.' }),
    files: { ...Count, description: 'Uploads: all of them, without folders. Downloads: those that were chosen; 0 stands for all.' },
    bytes: { ...Bytes, description: 'Uploads: of all of them.' },
    files_sent: { ...Count, description: 'Uploads: those of which nothing is left to send.' },
    names: Type.Array(Type.String(), {
      description: 'Uploads: the first files and folders at the top of the package.',
      examples: [['A001']],
    }),
  },
  { title: 'HandoverPreview' },
);
export type HandoverPreview = Static<typeof HandoverPreview>;

const Paths = Type.Array(LocalPath, {
  maxItems: 100,
  description: 'Uploads: where the files of the package are, or the folders that hold them.',
});

export const MatchHandover = Type.Object({ link: Link, paths: Paths });
export type MatchHandover = Static<typeof MatchHandover>;

export const HandoverMatch = Type.Object(
  {
    found: { ...Count, description: 'Files that are as the browser had them, by path, size and time.' },
    changed: Count,
    missing: Count,
    sent: { ...Count, description: 'Files of which nothing is left to send; they are not looked for.' },
    others: Type.Array(
      Type.Object({ path: Type.String({ examples: ['camera-a/A001C001.mov'] }), state: Literals(['changed', 'missing']) }),
      { description: 'The first of those that are changed or missing, by their paths in the package.' },
    ),
  },
  { title: 'HandoverMatch' },
);
export type HandoverMatch = Static<typeof HandoverMatch>;

export const ContinueHandover = Type.Object({
  link: Link,
  paths: Type.Optional(Paths),
  dst_folder: Type.Optional({ ...LocalPath, description: 'Downloads: the folder that receives the files.' }),
  create_package_folder: Type.Optional(Type.Boolean({ default: false })),
  priority: Type.Optional(Priority),
  due_at: Type.Optional(DueAt),
});
export type ContinueHandover = Static<typeof ContinueHandover>;

const common = { tag: 'Transfers', credentials: ['none'] } as const;
const errors = [
  'service_unreachable',
  'service_refused',
  'not_found',
  'state_conflict',
  'package_expired',
  'link_expired',
  'link_inactive',
] as const;

export const agentHandoverRoutes = defineRoutes({
  previewHandover: {
    ...common,
    method: 'POST',
    path: '/api/v1/handovers/preview',
    summary: 'What a browser hands over, before anything is taken.',
    body: PreviewHandover,
    reply: { status: 200, body: HandoverPreview },
    errors,
  },
  matchHandover: {
    ...common,
    method: 'POST',
    path: '/api/v1/handovers/match',
    summary: 'Which files of an upload are there, as the browser had them. Nothing is taken.',
    body: MatchHandover,
    reply: { status: 200, body: HandoverMatch },
    errors: [...errors, 'path_not_found', 'path_not_absolute', 'path_unreadable', 'path_outside'],
  },
  continueHandover: {
    ...common,
    method: 'POST',
    path: '/api/v1/handovers',
    summary: 'Goes on with what a browser has begun, once. What the storage has confirmed is not sent again.',
    body: ContinueHandover,
    reply: { status: 201, body: AgentTransfer },
    errors: [...errors, 'path_not_found', 'path_not_absolute', 'path_unreadable', 'path_outside', 'nothing_to_send'],
    example: {
      link: 'longshore://continue?service=https%3A%2F%2Fshare.example.com&code=q4pVb0xZr1k2n3m4o5p6q7r8s9t0u1v2w3x4y5z6A7B',
      paths: ['/media/A001'],
    },
  },
});
