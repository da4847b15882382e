import { type Static, Type } from 'typebox';
import { defineRoutes } from '../route.ts';
import { Id, Literals } from '../schema.ts';
import { Automation } from './automations/automation.ts';
import { Mount } from './mounts.ts';
import { AgentSession } from './session.ts';
import { SignedIn } from './sessions.ts';
import { Settings } from './settings.ts';
import { UnreachableService } from './system.ts';
import { AgentTransfer } from './transfers.ts';

/** The agent's live events: contract/agent.md §8. */

const EventId = Type.Integer({ minimum: 1, description: 'Only grows while the agent keeps its data folder.' });

/**
 * One change. It is sent as one server-sent event: `id:` the id, `data:` this object as one line of JSON, and no
 * `event:` line, so that a browser's `EventSource` passes every event to `onmessage`. `events.lost` means that older
 * changes were dropped: read the lists again.
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
  Type.Object(
    { id: EventId, type: Literals(['services.changed']), unreachable: Type.Array(UnreachableService) },
    { description: 'Which services cannot be reached; all that wait go on by themselves when one can be again.' },
  ),
  Type.Object({ id: EventId, type: Literals(['automation.changed']), automation: Automation }),
  Type.Object({ id: EventId, type: Literals(['automation.removed']), automation_id: Id }),
  Type.Object({ id: EventId, type: Literals(['mount.changed']), mount: Mount }),
  Type.Object({ id: EventId, type: Literals(['mount.removed']), mount_id: Id }),
  Type.Object({ id: EventId, type: Literals(['events.lost']) }),
]);
export type AgentEvent = Static<typeof AgentEvent>;

/**
 * Interval of the heartbeat: a comment line that is sent when there is no event, so that both sides notice a dead
 * connection.
 */
export const eventsHeartbeatSeconds = 15;

export const eventRoutes = defineRoutes({
  streamEvents: {
    method: 'GET',
    path: '/api/v1/events',
    summary:
      'Server-sent events: every change of a transfer, of the sessions, of the settings, of the automations, of the mounts and of which services can be reached. Send `Last-Event-ID` (or `?after=`) to have those since then replayed, also those before the agent was started again; `events.lost` says that some are no longer kept.',
    tag: 'Events',
    credentials: ['none'],
    query: Type.Object({ after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })) }),
    reply: { status: 200, stream: 'text/event-stream', messages: AgentEvent },
  },
});
