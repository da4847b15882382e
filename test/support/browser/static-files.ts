import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The policy that both real servers send; a page that needs more than this is broken. */
export const strictPolicy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/** Answers with a file of the folder under the strict policy; false where there is none. */
export async function sendFile(response: ServerResponse, folder: string, path: string): Promise<boolean> {
  const file = normalize(join(folder, path));
  if (!file.startsWith(folder + sep)) return false;
  try {
    const bytes = await readFile(file);
    response
      .writeHead(200, {
        'content-type': types[extname(file)] ?? 'application/octet-stream',
        // As the agent says it: their names change with what is in them.
        'cache-control': /[\\/]assets[\\/]/.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
        'content-security-policy': strictPolicy,
        'x-content-type-options': 'nosniff',
      })
      .end(bytes);
    return true;
  } catch {
    return false;
  }
}
