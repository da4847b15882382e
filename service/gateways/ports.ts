/** What a gateway is asked for somebody who waits: contract/gateways.md §4. */
export type GatewayRequest =
  | { readonly kind: 'browse'; readonly prefix: string; readonly prev_key: string; readonly count: number }
  | { readonly kind: 'check'; readonly folders: readonly string[]; readonly write: boolean };

/** A poll that waits in this process. */
export interface WaitingPoll {
  readonly id: string;
  /** Aborted when a newer poll of the gateway has come, or this process stops. */
  readonly over: AbortSignal;
  /**
   * Resolves when there may be something to do, when `over` or `signal` is aborted, or after `milliseconds`: false if only the
   * time is up.
   */
  wait(milliseconds: number, signal: AbortSignal): Promise<boolean>;
  end(): void;
}

/** An answer that somebody in this process waits for. */
export interface ExpectedAnswer {
  /** Resolves when there may be an answer, after some seconds, or when `signal` is aborted. */
  wait(signal: AbortSignal): Promise<unknown>;
  end(): void;
}

/** Wakes who waits in this process for a gateway, or for a gateway's answer, whichever process has the news. */
export interface GatewayWakeups {
  /** The gateway's poll from now on; one that waits already is over. */
  begin(gatewayId: string, pollId: string): WaitingPoll;
  /** Begun before the request is made, so that no answer is missed. */
  expectAnswer(requestId: string): ExpectedAnswer;
  /** Ends every waiting poll with an empty answer. */
  close(): Promise<void>;
}
