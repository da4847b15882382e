import { type AgentTransport, fetchTransport } from '#client/agent.ts';
import { socketPath } from '../listen.ts';

/** Requests to an agent at an http(s) address or `unix:/path`. The socket client is loaded only for a socket. */
export function transportTo(url: string): AgentTransport {
  const socket = socketPath(url);
  if (socket === null) return fetchTransport(url);
  return async (path, init) => {
    const { Agent, fetch: fetchBy } = await import('undici');
    // Without pipelining no connection is kept alive. A kept connection would delay the end of the command.
    const dispatcher = new Agent({ connect: { socketPath: socket }, pipelining: 0 });
    return (await fetchBy(`http://localhost${path}`, { ...(init as object), dispatcher })) as unknown as Response;
  };
}
