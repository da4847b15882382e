/** The name itself, or the first of `name (2).ext`, `name (3).ext` … that is free. */
export function withNumber(name: string, isFree: (candidate: string) => boolean): string {
  if (isFree(name)) return name;
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 2; ; number++) {
    const candidate = `${stem} (${number})${extension}`;
    if (isFree(candidate)) return candidate;
  }
}
