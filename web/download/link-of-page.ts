/** What the page's own address says: `/d/{link_id}?secret=…`. Null where a part is missing. */
export function linkOfPage(address: URL): { linkId: string; secret: string } | null {
  const id = /\/d\/([^/]+)\/?$/.exec(address.pathname)?.[1];
  const secret = address.searchParams.get('secret');
  if (!id || !secret) return null;
  try {
    return { linkId: decodeURIComponent(id), secret };
  } catch {
    return null;
  }
}
