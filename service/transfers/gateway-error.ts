/** A storage gateway gave a transfer up. Its message is the gateway's, in words for the people of the Team. */
export class GatewayTaskError extends Error {
  override readonly name = 'GatewayTaskError';
  readonly code = 'gateway_task';
}

/** A storage gateway called a transfer complete of which this side misses something: the next attempt may bring it. */
export class GatewayIncompleteError extends Error {
  override readonly name = 'GatewayIncompleteError';
  readonly code = 'gateway_incomplete';

  constructor(missing: string) {
    super(`The storage gateway says that everything is there. ${missing}`);
  }
}
