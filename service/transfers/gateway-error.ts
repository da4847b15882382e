/** A storage gateway gave a transfer up. Its message is the gateway's, in words for the people of the Team. */
export class GatewayTaskError extends Error {
  override readonly name = 'GatewayTaskError';
  readonly code = 'gateway_task';
}
