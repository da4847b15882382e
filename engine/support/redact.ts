/** Takes secrets out of texts that leave the machine: those that are known, in every coat they may wear, and what looks like one. */

export const removed = '[removed]';

/** Shorter ones would take half of an innocent text with them; nothing that short is a secret of ours but a bad access code. */
const shortest = 4;

/** What looks like a secret wherever it stands. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // Parameters of an address.
  [/([?&;](?:secret|token|signature|sig|password|code|key|x-amz-[\w-]+)=)[^&;\s"'<>\\]+/gi, `$1${removed}`],
  // User name and password of an address.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]+@/gi, `$1${removed}@`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${removed}`],
  // The service's keys, the agent's own token, and those of applications.
  [/\b(?:ls|lsa|lst)_[\w-]{20,}/g, removed],
  // JSON Web Tokens.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, removed],
  // Fields of JSON, also where the JSON itself stands in a text.
  [
    /(\\?"[\w-]*(?:password|secret|token|access_?code|api_?key|authorization|cookie|credential)[\w-]*\\?"\s*:\s*\\?")(?:[^"\\]|\\(?!").)*/gi,
    `$1${removed}`,
  ],
];

/** All texts that a secret may be hidden in: as it is, in JSON, in an address, in base64 and in hex. */
export function coatsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const hex = bytes.toString('hex');
  const coats = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ '': secret }).toString().slice(1),
    // Without the end, which depends on what follows.
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    hex,
    hex.toUpperCase(),
  ];
  // The longest first: a coat must not be cut in two by a shorter one.
  return [...new Set(coats)].filter((coat) => coat.length >= shortest).sort((a, b) => b.length - a.length);
}

/** Gives a function that takes the secrets out of a text. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const coats = [...new Set(secrets)].filter((secret) => secret.length >= shortest).flatMap(coatsOf);
  return (text) => {
    let clean = text;
    for (const coat of coats) if (clean.includes(coat)) clean = clean.replaceAll(coat, removed);
    for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement);
    return clean;
  };
}
