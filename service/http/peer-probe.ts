import type { FastifyReply } from 'fastify';

/** After 3 s of silence the caller's machine is asked each second, by the kernel; three questions without an answer end the connection. */
const keepAlive = { enable: true, initialDelay: 3_000, interval: 1_000, count: 3 } as const;

/** What a connection ends with whose other machine answers nothing, as without power or network. */
const lostBy: ReadonlySet<string> = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN']);

/**
 * Has a connection end some 6 s after its machine has lost power or network, for answers that are waited for longer than that.
 * Both kernels do it: no process wakes up. The function says whether that is how it has ended.
 */
export function probePeer(reply: FastifyReply): () => boolean {
  const { socket } = reply.raw;
  socket?.setKeepAlive(keepAlive);
  return () => lostBy.has((socket?.errored as NodeJS.ErrnoException | null | undefined)?.code ?? '');
}
