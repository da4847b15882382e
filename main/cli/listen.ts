import { InvalidArgumentError } from 'commander';

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** `HOST:PORT`, `[IPv6]:PORT`, `:PORT` or `PORT`; without a host it is loopback. */
export function parseListen(text: string): Listen {
  const match = /^(?:(?:\[([0-9a-f:.]+)\]|([^\s:[\]/@]+))?:)?(\d{1,5})$/i.exec(text.trim());
  const port = Number(match?.[3]);
  if (!match || port > 65_535) throw new InvalidArgumentError('Give HOST:PORT, for example 127.0.0.1:8090 or [::1]:8090.');
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port };
}

export function showListen({ host, port }: Listen): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
