import type { CreateMount, Mount, MountCheck, UpdateMount } from '#protocol/agent/mounts.ts';
import type { GatewayConnection, TeamPortal } from '#protocol/agent/team-lists.ts';
import { ApiError } from '#protocol/errors.ts';
import { sampleMount } from './samples.ts';

type MountEvent = { readonly type: 'mount.changed'; readonly mount: Mount } | { readonly type: 'mount.removed'; readonly mount_id: string };

/** The mounts of a fake agent, and what a Team has: set by the test; what is done to a mount is done here and told. */
export class FakeMounts {
  readonly all = new Map<string, Mount>();
  /** Of any Team. */
  connections: readonly GatewayConnection[] = [];
  portals: readonly TeamPortal[] = [];
  /** What a check finds. */
  check: (id: string) => MountCheck = () => ({ ok: true, steps: [] });
  /** Looks at what is to be made or changed; throws what the agent would answer. */
  look: (body: Partial<CreateMount>) => void = () => undefined;
  readonly #emit: (event: MountEvent) => void;

  constructor(emit: (event: MountEvent) => void) {
    this.#emit = emit;
  }

  /** Adds or changes one and says so. */
  put(mount: Mount): Mount {
    this.all.set(mount.id, mount);
    this.#emit({ type: 'mount.changed', mount });
    return mount;
  }

  /** Answers a call below `/api/v1/gateway/mounts` and `/api/v1/teams/{team_id}`; `undefined` where it is none of these. */
  answer(method: string, address: URL, body: unknown): { readonly answer: unknown } | undefined {
    const path = address.pathname;
    if (/^\/api\/v1\/teams\/[^/]+\/portals$/.test(path)) return { answer: this.portals };
    if (/^\/api\/v1\/teams\/[^/]+\/gateway_connections$/.test(path)) return { answer: this.connections };
    if (!path.startsWith('/api/v1/gateway/mounts')) return undefined;
    const [, id, action] = path.replace('/api/v1/gateway/mounts', '').split('/');
    return { answer: id === undefined ? this.#collection(method, body) : this.#one(method, id, action, body) };
  }

  #collection(method: string, body: unknown): unknown {
    if (method === 'GET') return [...this.all.values()];
    const request = body as CreateMount;
    this.look(request);
    const { team_id, path, name = path.split('/').at(-1)!, read_only = false } = request;
    return this.put(sampleMount({ id: `mount-${this.all.size + 1}`, team_id, path, name, read_only }));
  }

  #one(method: string, id: string, action: string | undefined, body: unknown): unknown {
    const mount = this.all.get(id);
    if (!mount) throw new ApiError('not_found', { resource: 'mount' });
    if (action === 'check') return this.check(id);
    if (method === 'PUT') {
      this.look(body as UpdateMount);
      return this.put({ ...mount, ...(body as UpdateMount) });
    }
    if (method === 'DELETE') {
      this.all.delete(id);
      this.#emit({ type: 'mount.removed', mount_id: id });
      return undefined;
    }
    return mount;
  }
}
