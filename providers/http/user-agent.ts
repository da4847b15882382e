import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

/** Who asks, so that a provider's support can tell our requests from others. */
export const userAgent = `Longshore/${version}`;
