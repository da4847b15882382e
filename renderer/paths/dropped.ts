import type { DesktopBridge } from '../desktop/bridge.ts';

/** The result of a drop: paths where the desktop app knows them, or the reason why there are none. */
export type Dropped = { readonly paths: readonly string[] } | { readonly paths: null; readonly why: 'browser' | 'no_path' };

/** `bridge` is `null` in a browser, which does not tell paths. */
export function droppedOf(files: readonly File[], bridge: Pick<DesktopBridge, 'pathOf'> | null): Dropped {
  if (!bridge) return { paths: null, why: 'browser' };
  const paths = files.map((file) => bridge.pathOf(file)).filter((path) => path !== '');
  return paths.length > 0 ? { paths } : { paths: null, why: 'no_path' };
}
