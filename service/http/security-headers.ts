/** On every response: no MIME sniffing, no framing, no caching, no referrer for other sites. */
const apiHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** The same headers, plus HSTS where the public address uses TLS. */
export function headersFor(publicUrl: string): Readonly<Record<string, string>> {
  return publicUrl.startsWith('https:') ? { ...apiHeaders, 'strict-transport-security': 'max-age=31536000' } : apiHeaders;
}

/** For pages: their own scripts and styles, and the storage's address for downloads and uploads. */
export function pageHeaders(storageOrigin: string): Readonly<Record<string, string>> {
  return {
    ...apiHeaders,
    'cache-control': 'no-cache',
    'content-security-policy':
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; ` +
      `connect-src 'self' ${storageOrigin}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  };
}

/** For the download page: previews. Images, audio and video come from the storage; a PDF is the page's own copy, in a frame. */
export function downloadPageHeaders(storageOrigin: string): Readonly<Record<string, string>> {
  const headers = pageHeaders(storageOrigin);
  const policy = headers['content-security-policy']!;
  return {
    ...headers,
    'content-security-policy': policy.replace(
      "img-src 'self' data:",
      `img-src 'self' data: ${storageOrigin}; media-src ${storageOrigin}; frame-src blob:`,
    ),
  };
}

/** For the console: previews from the storage like the download page, pictures that are chosen but not sent yet (`blob:`), and a frame for mails. */
export function consolePageHeaders(storageOrigin: string): Readonly<Record<string, string>> {
  const headers = downloadPageHeaders(storageOrigin);
  const policy = headers['content-security-policy']!;
  return {
    ...headers,
    'content-security-policy': policy
      .replace("img-src 'self' data:", "img-src 'self' data: blob:")
      .replace('frame-src', "frame-src 'self'"),
  };
}

/** Lets a page run the scripts that stand in it, by their digests alone. */
export function withInlineScripts(headers: Readonly<Record<string, string>>, digests: readonly string[]): Readonly<Record<string, string>> {
  if (digests.length === 0) return headers;
  const policy = headers['content-security-policy']!;
  return { ...headers, 'content-security-policy': policy.replace("script-src 'self'", `script-src 'self' ${digests.join(' ')}`) };
}

/**
 * For the empty document in which the console shows a mail as mail programs do: with its inline styles, which no page of
 * ours may have, and with the Team's logo. It runs nothing, and only the console frames it.
 */
export const mailFrameHeaders: Readonly<Record<string, string>> = {
  ...apiHeaders,
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-same-origin",
};

/** For the pages of invitations and forgotten passwords: they connect to the service only. */
export function accountPageHeaders(): Readonly<Record<string, string>> {
  const headers = pageHeaders('');
  return {
    ...headers,
    'content-security-policy': headers['content-security-policy']!.replace("connect-src 'self' ;", "connect-src 'self';"),
  };
}

/**
 * For the pages' scripts. A worker uses the headers of its own script: the workers that compute digests compile
 * WebAssembly, which no page may.
 */
export function scriptHeaders(storageOrigin: string): Readonly<Record<string, string>> {
  const headers = pageHeaders(storageOrigin);
  const policy = headers['content-security-policy']!;
  return { ...headers, 'content-security-policy': policy.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'") };
}
