/** The places of a package's name that are filled for each package, in the order in which they are offered. */
export const nameTokens = ['name', 'date', 'time', 'folder', 'counter'] as const;
export type NameToken = (typeof nameTokens)[number];

/** How a name would turn out at this moment, for a file of this name in this folder, as the seventh package. */
export function exampleOf(
  template: string,
  { name, folder, at }: { readonly name: string; readonly folder: string; readonly at: Date },
): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const values: Readonly<Record<NameToken, string>> = {
    name,
    folder,
    counter: '7',
    date: [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-'),
    time: [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join('-'),
  };
  return (template.trim() || '{name}').replace(/\{(\w+)\}/g, (whole, token: string) =>
    nameTokens.some((one) => one === token) ? values[token as NameToken] : whole,
  );
}

/** A text with a token at the place of what is selected, and where the caret stands after it. */
export function withToken(text: string, token: NameToken, from: number, to: number): { readonly text: string; readonly caret: number } {
  const inserted = `{${token}}`;
  return { text: `${text.slice(0, from)}${inserted}${text.slice(to)}`, caret: from + inserted.length };
}
