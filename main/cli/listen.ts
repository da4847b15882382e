import { InvalidArgumentError } from 'commander';
import type { AgentListen } from '#agent-api/server.ts';
import { hostInUrl } from '#net/host-in-url.ts';

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** `HOST:PORT`, `[IPv6]:PORT`, `:PORT` or `PORT`; the default host is loopback. */
export function parseListen(text: string): Listen {
  const match = /^(?:(?:\[([0-9a-f:.]+)\]|([^\s:[\]/@]+))?:)?(\d{1,5})$/i.exec(text.trim());
  const port = Number(match?.[3]);
  if (!match || port > 65_535) throw new InvalidArgumentError('Give HOST:PORT, for example 127.0.0.1:8090 or [::1]:8090.');
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port };
}

/** An agent's listen address: as above, or `unix:/path` for a Unix socket. */
export function parseAgentListen(text: string): AgentListen {
  const path = socketPath(text.trim());
  if (path !== null) return { path };
  if (text.trim().startsWith('unix:'))
    throw new InvalidArgumentError('Give an absolute path after unix:, for example unix:/run/longshore.sock.');
  return parseListen(text);
}

/** The path of `unix:/path` or `unix:///path`; `null` for anything else. */
export function socketPath(text: string): string | null {
  const match = /^unix:\/*(\/.+[^/])$/.exec(text);
  return match && !match[1]!.includes('\0') ? match[1]! : null;
}

export const showAgentListen = (listen: AgentListen): string =>
  'path' in listen ? `unix:${listen.path}` : `${hostInUrl(listen.host)}:${listen.port}`;
