import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Id, Literals } from '../schema.ts';
import { AgentSession } from './session.ts';
import { SignedIn } from './sessions.ts';
import { Settings } from './settings.ts';
import { AgentTransfer } from './transfers.ts';

/** The agent's live events: decisions "Local agent API". */

const EventId = Type.Integer({ minimum: 1, description: 'Only grows while the agent keeps its data folder.' });

/**
 * One change. On the wire each is one server-sent event: `id:` the id, `data:` this object as one line
 * of JSON, and no `event:` line, so that a browser's `EventSource` gives all of them to `onmessage`.
 * `events.lost` stands for changes that are no longer kept: read the lists anew.
 */
export const AgentEvent = Type.Union([
  Type.Object({ id: EventId, type: Literals(['transfer.added', 'transfer.changed']), transfer: AgentTransfer }),
  Type.Object({ id: EventId, type: Literals(['transfer.removed']), transfer_id: Id }),
  Type.Object({ id: EventId, type: Literals(['session.changed']), session: Type.Union([AgentSession, Type.Null()]) }),
  Type.Object({ id: EventId, type: Literals(['sessions.changed']), sessions: Type.Array(SignedIn) }),
  Type.Object(
    { id: EventId, type: Literals(['settings.changed']), settings: Settings },
    { description: 'The settings or a speed limit were changed. The limits have paths of their own.' },
  ),
  Type.Object({ id: EventId, type: Literals(['events.lost']) }),
]);
export type AgentEvent = Static<typeof AgentEvent>;

/** A comment line goes out this often when nothing else does, so that both sides notice a dead connection. */
export const eventsHeartbeatSeconds = 15;

export const eventRoutes = defineRoutes({
  streamEvents: {
    method: 'GET',
    path: '/api/v1/events',
    summary:
      'Server-sent events: every change of a transfer, of the sessions and of the settings. Send `Last-Event-ID` (or `?after=`) to have those since then replayed, also those before the agent was started again; `events.lost` says that some are no longer kept.',
    tag: 'Events',
    credentials: ['none'],
    query: Type.Object({ after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })) }),
    reply: { status: 200, stream: 'text/event-stream' },
  },
});
