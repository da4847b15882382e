/** The agent cannot listen at the requested address. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: string;
  readonly retryable = false;

  constructor(address: string, cause: NodeJS.ErrnoException) {
    super(ListenError.sentence(address, cause), { cause });
    this.code = cause.code ?? 'LISTEN_FAILED';
  }

  private static sentence(address: string, cause: NodeJS.ErrnoException): string {
    if (address.startsWith('unix:')) return socketSentence(address.slice('unix:'.length), cause);
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

function socketSentence(path: string, cause: NodeJS.ErrnoException): string {
  switch (cause.code) {
    case 'EADDRINUSE':
      return `Another program listens on the socket ${path}. Stop that program, or choose another path with --listen.`;
    case 'EACCES':
    case 'EROFS':
      return `This user may not make the socket ${path}. Choose another path with --listen.`;
    case 'ENOENT':
      return `The socket ${path} cannot be made, since its folder is not there. Make that, or choose another path with --listen.`;
    default:
      return `Cannot listen on the socket ${path}: ${cause.message}. Choose another path with --listen.`;
  }
}
