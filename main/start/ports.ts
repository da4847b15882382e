import { createServer } from 'node:net';

/** A free port on loopback: the wanted one, or any other if it is taken. */
export async function freePort(wanted: number, except: readonly number[] = []): Promise<number> {
  const found = except.includes(wanted) ? null : await tryPort(wanted);
  if (found !== null) return found;
  for (;;) {
    const other = await tryPort(0);
    if (other !== null && !except.includes(other)) return other;
  }
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      const got = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(got));
    });
  });
}
