import { StartError } from '../start-error.ts';
import type { ClamdAddress } from './clamd.ts';

/** Reads `tcp://host:port` or `unix:///path/of/the/socket`. Errors: `StartError`, `option_invalid`. */
export function parseClamdUrl(text: string): ClamdAddress {
  const url = URL.parse(text);
  if (url?.protocol === 'unix:' && url.host === '' && url.pathname.length > 1) return { path: decodeURIComponent(url.pathname) };
  const isPlain = url?.protocol === 'tcp:' && url.username === '' && url.pathname.length <= 1 && url.search === '';
  if (isPlain && url.hostname !== '' && url.port !== '') return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) };
  throw new StartError(
    'option_invalid',
    `${text} is not the address of a clamd. Give --clamd-url like tcp://127.0.0.1:3310 or unix:///run/clamav/clamd.ctl.`,
  );
}
