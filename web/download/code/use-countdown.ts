import { useEffect, useState } from 'react';

/** Seconds that are left until a moment (milliseconds since 1970), counted down on the page; 0 when it has come. */
export function useCountdown(until: number): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const count = (): void => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1_000)));
    count();
    if (until <= Date.now()) return;
    const ticking = setInterval(count, 1_000);
    return () => clearInterval(ticking);
  }, [until]);
  return left;
}
