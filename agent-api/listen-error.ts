/** The agent cannot listen where it should. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: string;
  readonly retryable = false;

  constructor(address: string, cause: NodeJS.ErrnoException) {
    super(ListenError.sentence(address, cause), { cause });
    this.code = cause.code ?? 'LISTEN_FAILED';
  }

  private static sentence(address: string, cause: NodeJS.ErrnoException): string {
    switch (cause.code) {
      case 'EADDRINUSE':
        return `${address} is taken by another program. Stop that program, or choose another port with --listen.`;
      case 'EACCES':
        return `This user may not listen on ${address}. Choose a port above 1023 with --listen.`;
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        return `${address} is not an address of this machine. Choose another with --listen.`;
      default:
        return `Cannot listen on ${address}: ${cause.message}. Choose another address with --listen.`;
    }
  }
}
