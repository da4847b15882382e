import type { ConnectionCheck, ConnectionCheckEvent } from '#protocol/hosted/connections.ts';

/** Milliseconds of silence before a comment is sent: a step may take longer than proxies and browsers wait for a byte. */
const defaultSilence = 5_000;

/**
 * A check as server-sent events (contract/connections.md §6). It begins at once, so that it ends by its own limits whether or not
 * somebody reads. The stream breaks off where `run` rejects.
 */
export function checkEventStream(
  run: (tell: (event: ConnectionCheckEvent) => void) => Promise<ConnectionCheck>,
  silence = defaultSilence,
): AsyncIterable<string> {
  // Bounded: a check has a few steps.
  const waiting: ConnectionCheckEvent[] = [];
  let wake: () => void = () => undefined;
  const tell = (event: ConnectionCheckEvent): void => {
    waiting.push(event);
    wake();
  };
  const over = run(tell).then((check) => tell({ type: 'ended', check }));
  // Heard below; without a reader nobody would.
  over.catch(() => undefined);

  async function* texts(): AsyncGenerator<string> {
    yield ': begins\n\n';
    for (;;) {
      for (let event = waiting.shift(); event; event = waiting.shift()) {
        // JSON contains no line break, so one line is enough.
        yield `data: ${JSON.stringify(event)}\n\n`;
        if (event.type === 'ended') return;
      }
      const next = Promise.withResolvers<boolean>();
      wake = () => next.resolve(true);
      const timer = setTimeout(next.resolve, silence, false);
      try {
        if (!(await Promise.race([next.promise, over.then(() => true)]))) yield ': still here\n\n';
      } finally {
        clearTimeout(timer);
      }
    }
  }
  return texts();
}
