/** Headers as lines `Name: value`. A line that is none is told in `bad`. */
export function headersIn(text: string): { readonly headers: Readonly<Record<string, string>>; readonly bad: string | null } {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const [, name, value] = /^([^\s:]+)\s*:\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return { headers, bad: line };
    headers[name] = value;
  }
  return { headers, bad: null };
}

export const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
