/** What `@longshore/sdk` offers. Relative paths, since this folder is a package of its own. */

export {
  type AgentCallName,
  type AgentClient,
  type AgentClientOptions,
  type AgentRequest,
  type AgentStreamName,
  type AgentTransport,
  createAgentClient,
  fetchTransport,
} from '../client/agent.ts';
export { AgentCallError } from '../client/agent-call-error.ts';
export { followEvents, type LiveOptions, type LiveSignal, openEvents } from '../client/agent-events.ts';
export { type FollowOptions, followTransfer, hasEnded } from '../client/agent-transfers.ts';
export { ServiceError } from '../client/errors.ts';
export {
  createHostedClient,
  type HostedClient,
  type HostedClientOptions,
  type HostedCredential,
  type HostedRequest,
} from '../client/hosted.ts';
export { type DownloadLink, parseDownloadLink } from '../client/link.ts';
export type { ApiReply, ApiRequest, Fetcher } from '../client/ports.ts';
export type { AgentEvent } from '../protocol/agent/events.ts';
export { type AgentRouteName, type AgentRoutes, agentRoutes } from '../protocol/agent/routes.ts';
export type { TransferState } from '../protocol/agent/transfer-states.ts';
export type { AgentTransfer } from '../protocol/agent/transfers.ts';
export { ApiError, type ErrorName, errorCatalogue } from '../protocol/errors.ts';
export { type HostedRouteName, type HostedRoutes, hostedRoutes } from '../protocol/hosted/routes.ts';
export type { WebhookPayload } from '../protocol/hosted/webhook-events.ts';
export type { BodyOf, ParamsOf, QueryOf, ReplyOf, Route } from '../protocol/route.ts';
export { agentAt, serviceAt } from './connect.ts';
export { verifyWebhook, WebhookError, type WebhookHeaders, type WebhookOptions } from './webhooks.ts';
