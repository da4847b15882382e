/** Removes secrets from texts that leave the machine: known ones in each encoding, and whatever looks like a secret. */

export const removed = '[removed]';

/** Characters. Shorter secrets would match in ordinary text. Of our secrets, only a weak access code can be that short. */
const minSecretLength = 4;

/** What looks like a secret, in any text. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // Parameters in an address.
  [/([?&;](?:secret|token|signature|sig|password|code|key|x-amz-[\w-]+)=)[^&;\s"'<>\\]+/gi, `$1${removed}`],
  // User name and password in an address.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]+@/gi, `$1${removed}@`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${removed}`],
  // The service's keys, the agent's own token, and those of applications.
  [/\b(?:ls|lsa|lst)_[\w-]{20,}/g, removed],
  // JSON Web Tokens.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, removed],
  // JSON fields, also in JSON that is inside a string.
  [
    /(\\?"[\w-]*(?:password|secret|token|access_?code|api_?key|authorization|cookie|credential)[\w-]*\\?"\s*:\s*\\?")(?:[^"\\]|\\(?!").)*/gi,
    `$1${removed}`,
  ],
];

/** All texts by which a secret may appear: as it is, in JSON, in an address, in base64 and in hex. The longest is first. */
export function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const hex = bytes.toString('hex');
  const encodings = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ '': secret }).toString().slice(1),
    // Without the padding, which depends on the text that follows.
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    hex,
    hex.toUpperCase(),
  ];
  // A shorter one must not split a longer one.
  return [...new Set(encodings)].filter((encoding) => encoding.length >= minSecretLength).sort((a, b) => b.length - a.length);
}

/** Returns a function that removes these secrets from a text. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const encodings = [...new Set(secrets)].filter((secret) => secret.length >= minSecretLength).flatMap(encodingsOf);
  return (text) => {
    let clean = text;
    for (const encoding of encodings) if (clean.includes(encoding)) clean = clean.replaceAll(encoding, removed);
    for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement);
    return clean;
  };
}
