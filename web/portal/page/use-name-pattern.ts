import { useEffect, useState } from 'react';
import type { PublicPortal } from '#protocol/hosted/portals.ts';
import { loadOnce } from '../../common/lazy-load.ts';

const load = loadOnce(() => import('#protocol/name-pattern.ts'));

const acceptsAll = (): boolean => true;

/**
 * Whether a package's name is of the Portal's pattern. The code for it is loaded where there is a pattern; until then, or
 * without it, every name is taken here, and the service says what it refuses.
 */
export function useNamePattern({ name_pattern: source = '' }: Pick<PublicPortal, 'name_pattern'>): (name: string) => boolean {
  const [accepts, setAccepts] = useState<(name: string) => boolean>(() => acceptsAll);
  useEffect(() => {
    let isCurrent = true;
    setAccepts(() => acceptsAll);
    if (source === '') return;
    load().then(
      ({ matchesNamePattern, parseNamePattern }) => {
        const parsed = parseNamePattern(source);
        if (isCurrent && parsed.ok) setAccepts(() => (name: string) => matchesNamePattern(parsed.pattern, name));
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [source]);
  return accepts;
}
