/**
 * Ignores EPIPE on output streams: when a reader such as `head` closes the pipe, the work continues and nothing is
 * reported. All other stream errors stay errors.
 */
export function ignoreBrokenPipes(streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
