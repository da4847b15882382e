import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { DateTime } from '../schema.ts';

/** State of the agent itself: contract/agent.md §12. */

export const UnreachableService = Type.Object(
  {
    service_url: Type.String(),
    since: DateTime,
    reason: Type.String({ description: 'A sentence for a person.' }),
    next_try_at: DateTime,
    transfers: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How many that queue or run wait for it; counted among the first 5,000 of them.' }),
    ),
  },
  { title: 'UnreachableService' },
);
export type UnreachableService = Static<typeof UnreachableService>;

export const AgentStatus = Type.Object(
  {
    version: Type.String(),
    service_url: Type.String(),
    signed_in: Type.Boolean(),
    started_at: DateTime,
    transfers: Type.Object({
      active: Type.Integer({ minimum: 0 }),
      queued: Type.Integer({ minimum: 0 }),
      failed: Type.Integer({ minimum: 0 }),
    }),
    paused: Type.Union([Type.Object({ until: Type.Union([DateTime, Type.Null()]) }), Type.Null()], {
      description: 'While all transfers are paused; `until`: when they go on by themselves.',
    }),
    unreachable: Type.Optional(
      Type.Array(UnreachableService, {
        description:
          'Services that give no answer of their own: since when, why, and when they are asked next. `services.changed` tells of each change.',
      }),
    ),
    warnings: Type.Array(Type.String(), { description: 'Sentences that the person should know.' }),
  },
  { title: 'Status' },
);
export type AgentStatus = Static<typeof AgentStatus>;

export const systemRoutes = defineRoutes({
  status: {
    method: 'GET',
    path: '/api/v1/status',
    summary: 'How the agent is: version, service, transfers under way, warnings.',
    tag: 'System',
    credentials: ['none'],
    reply: { status: 200, body: AgentStatus },
  },
  createSupportBundle: {
    method: 'POST',
    path: '/api/v1/support_bundle',
    summary: 'Logs and state as a zip for whoever helps, with passwords, keys, tokens, codes and the secrets of links removed.',
    tag: 'System',
    credentials: ['none'],
    reply: { status: 200, stream: 'application/zip' },
  },
  healthz: {
    method: 'GET',
    path: '/healthz',
    summary: 'Answers as long as the agent works.',
    tag: 'System',
    credentials: ['none'],
    reply: { status: 200, body: Type.Object({ status: Type.String() }) },
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Transfers, bytes, speed, errors, calls and the process, in the Prometheus text format.',
    tag: 'System',
    credentials: ['none'],
    reply: { status: 200, stream: 'text/plain; version=0.0.4' },
  },
});
