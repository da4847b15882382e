/** Fills the `{parameters}` of a route's path. */
export function pathOf(template: string, params: unknown): string {
  const values = (params ?? {}) as Readonly<Record<string, unknown>>;
  return template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(values[key])));
}
