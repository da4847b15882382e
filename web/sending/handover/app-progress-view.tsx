import { useMemo, useState } from 'react';
import type { Handover } from '#protocol/hosted/handovers.ts';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { useFormat } from '../../messages/portal.ts';
import type { Sending } from '../sending.ts';
import { createAppProgress } from './app-progress.ts';

interface AppProgressViewProps {
  readonly sending: Sending;
  readonly seen: Handover;
  readonly label: string;
}

/** How far the app is. Loaded only once one has taken over. */
export default function AppProgressView({ sending, seen, label }: AppProgressViewProps) {
  const { messages, size, files, number, duration } = useFormat();
  const [{ note }] = useState(() => createAppProgress({ items: sending.items, now: () => performance.now() }));
  const progress = useMemo(() => note(seen), [note, seen]);
  const { bytes, totalBytes, bytesPerSecond, secondsLeft } = progress;
  const texts = messages.sending;
  const facts = [
    texts.progress(size(bytes), size(totalBytes)),
    texts.filesDone(number(progress.files), files(progress.totalFiles)),
    bytesPerSecond > 0 ? texts.speed(size(bytesPerSecond)) : '',
    bytesPerSecond > 0 && secondsLeft !== null ? texts.left(duration(secondsLeft)) : '',
  ].filter(Boolean);
  return (
    <>
      <ProgressBar share={totalBytes > 0 ? bytes / totalBytes : 1} label={label} tone="moving" large />
      <ul className="sending-facts figure">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </>
  );
}
