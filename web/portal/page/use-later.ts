import { useEffect, useState } from 'react';
import { type Later, usePlace } from './place.ts';

/** The sending part of the page: loading, loaded, or failed for now. */
export type LaterPart =
  | { readonly state: 'loading' }
  | { readonly state: 'there'; readonly part: Later }
  | { readonly state: 'missing'; readonly again: () => void };

/** Prefetches the sending part once `wanted`, so that it is loaded before anybody has chosen a file. */
export function useLater(wanted: boolean): LaterPart {
  const { later } = usePlace();
  const [tries, setTries] = useState(0);
  const [found, setFound] = useState<LaterPart>({ state: 'loading' });
  useEffect(() => {
    if (!wanted) return;
    let here = true;
    later().then(
      (part) => here && setFound({ state: 'there', part }),
      () => here && setFound({ state: 'missing', again: () => setTries(tries + 1) }),
    );
    return () => {
      here = false;
    };
  }, [wanted, later, tries]);
  return found;
}
