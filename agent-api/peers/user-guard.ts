import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { AgentError } from '#protocol/errors.ts';
import { createPeerUids, type PeerUids } from './peer-uids.ts';
import type { Ends } from './proc-net.ts';

/**
 * Accepts programs of the agent's own user and of root, and refuses other users of this machine (docs/decisions/0043).
 */
export interface UserGuard {
  /** Rejects with `foreign_user`. Checks each connection once; returns undefined where it was already accepted. */
  check(socket: Socket): Promise<void> | undefined;
}

/** @param uid the agent's own user */
function createUserGuard(peers: PeerUids, uid: number): UserGuard {
  const known = new WeakMap<Socket, 'admitted' | Promise<void>>();
  const look = async (socket: Socket): Promise<void> => {
    const found = await peers.uidOf(endsOf(socket)).catch(() => null);
    if (found !== uid && found !== 0) throw new AgentError('foreign_user');
    known.set(socket, 'admitted');
  };
  return {
    check(socket) {
      const before = known.get(socket);
      if (before === 'admitted') return undefined;
      if (before) return before;
      const looking = look(socket);
      known.set(socket, looking);
      return looking;
    },
  };
}

const endsOf = ({ localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 }: Socket): Ends => ({
  localAddress,
  localPort,
  remoteAddress,
  remotePort,
});

/**
 * The guard of this process. `null` where the system does not report a connection's user: on macOS and Windows, and
 * where Linux' tables cannot be read (tested by a connection to itself).
 */
export async function openUserGuard(peers: PeerUids = createPeerUids(), platform = process.platform): Promise<UserGuard | null> {
  const uid = process.geteuid?.();
  if (platform !== 'linux' || uid === undefined) return null;
  return (await findsItself(peers, uid)) ? createUserGuard(peers, uid) : null;
}

async function findsItself(peers: PeerUids, uid: number): Promise<boolean> {
  const server = createServer();
  const clients: Socket[] = [];
  try {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    clients.push(client.on('error', () => undefined));
    const [socket] = await accepted;
    clients.push(socket);
    return (await peers.uidOf(endsOf(socket))) === uid;
  } catch {
    return false;
  } finally {
    for (const client of clients) client.destroy();
    server.close();
  }
}
