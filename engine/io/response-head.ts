/** The head of an HTTP/1.1 answer, without the empty line at its end. Status 0: it is invalid. Names are in lower case. */
export function parseResponseHead(text: string): { readonly status: number; readonly headers: Readonly<Record<string, string>> } {
  const [first, ...lines] = text.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first!)?.[1];
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    // A repeated name, or a line that is no field, makes the head invalid.
    if (name === undefined || headers[name.toLowerCase()] !== undefined) return { status: 0, headers: {} };
    headers[name.toLowerCase()] = value!;
  }
  return { status: Number(status ?? 0), headers };
}
