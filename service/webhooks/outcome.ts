import { limits } from '#protocol/limits.ts';

/** Backoff in seconds, so that the five attempts are at about 0, 10 s, 1 min, 10 min and 1 h. */
const backoffSeconds = [10, 50, 540, 3_000] as const;

/** The result of one attempt: the response's status, or why there was no response. */
export type Answer = { readonly status: number } | { readonly error: string };

export type Outcome =
  | { readonly state: 'delivered' }
  | { readonly state: 'failed'; readonly error: string; readonly nextInSeconds: number }
  | { readonly state: 'gave_up'; readonly error: string; readonly turnOff: boolean };

/**
 * The outcome of attempt number `attempt` (1 to 5): 2xx is delivered, 410 deactivates the webhook, everything else is
 * retried until the attempts are used up (contract/webhooks.md §3).
 */
export function outcomeOf(attempt: number, answer: Answer): Outcome {
  if ('status' in answer && answer.status >= 200 && answer.status < 300) return { state: 'delivered' };
  if ('status' in answer && answer.status === 410) {
    return { state: 'gave_up', error: 'It answered 410 (gone), so the webhook is turned off.', turnOff: true };
  }
  const error = 'error' in answer ? answer.error : describe(answer.status);
  const pause = attempt < limits.webhookAttempts ? backoffSeconds[attempt - 1] : undefined;
  return pause === undefined ? { state: 'gave_up', error, turnOff: false } : { state: 'failed', error, nextInSeconds: pause };
}

/** The outcome of a test: it is not tried again, and turns nothing off. */
export function outcomeOfTest(answer: Answer): Outcome {
  const outcome = outcomeOf(limits.webhookAttempts, answer);
  return outcome.state === 'gave_up' ? { ...outcome, turnOff: false } : outcome;
}

const describe = (status: number): string =>
  status >= 300 && status < 400 ? `It answered ${status}; redirects are not followed.` : `It answered ${status}.`;
