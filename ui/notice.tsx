import type { ReactNode } from 'react';
import { WarnIcon } from './icons.tsx';

/** A sentence that the person should see now. `bad` is read out at once, `plain` when there is a pause. */
export function Notice({ tone, children }: { tone: 'bad' | 'warn' | 'plain'; children: ReactNode }) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {tone === 'plain' ? null : <WarnIcon />}
      <div>{children}</div>
    </div>
  );
}
