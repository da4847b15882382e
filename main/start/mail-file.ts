/** What a person reads of a message that the service wrote into its outbox. */
export interface ReadMail {
  readonly to: string;
  readonly subject: string;
  readonly date: string;
  readonly text: string;
}

/** Takes a message of the service's own apart: its headers and its plain text. */
export function readMail(content: string): ReadMail {
  const message = content.replaceAll('\r\n', '\n');
  const { head, body } = partsOf(message);
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1];
  const parts = boundary === undefined ? [message] : body.split(`--${boundary}`).map((part) => part.replace(/^\n/, ''));
  const plain = parts.find((part) => /^content-type: *text\/plain/im.test(partsOf(part).head)) ?? '';
  return { to: header(head, 'to'), subject: header(head, 'subject'), date: header(head, 'date'), text: decoded(plain) };
}

function partsOf(message: string): { readonly head: string; readonly body: string } {
  const end = message.indexOf('\n\n');
  // A long header goes on in the next line, which begins with a space.
  return { head: message.slice(0, end).replaceAll(/\n[ \t]+/g, ' '), body: message.slice(end + 2) };
}

function header(head: string, name: string): string {
  const value = new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1] ?? '';
  // RFC 2047: words of other letters than ASCII. Space between two of them is none of the text.
  return value
    .replaceAll(/\?= +=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : quotedPrintable(text.replaceAll('_', ' ')),
    );
}

function decoded(part: string): string {
  const { head, body } = partsOf(part);
  const encoding = header(head, 'content-transfer-encoding').toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  return encoding === 'quoted-printable' ? quotedPrintable(body) : body;
}

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text.replaceAll('=\n', '').replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
