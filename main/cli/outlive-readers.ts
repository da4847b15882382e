/**
 * Lets whoever reads along leave, as `head` does once it has seen enough: what is under way goes on, and nothing is
 * reported as a failure of its own. Any other trouble with a stream stays one.
 */
export function outliveReaders(streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
