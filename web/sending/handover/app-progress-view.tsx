import { useEffect, useState } from 'react';
import type { Handover } from '#protocol/hosted/handovers.ts';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { useFormat } from '../../messages/portal.ts';
import type { Sending } from '../sending.ts';
import type { StoredPackage } from '../store.ts';
import { useSendingEnvironment } from '../view/environment.ts';
import { type AppProgress, createAppProgress } from './app-progress.ts';

interface AppProgressViewProps {
  readonly sending: Sending;
  readonly stored: StoredPackage;
  readonly seen: Handover;
  readonly label: string;
}

/** How far the app is. Loaded only once one has taken over. */
export default function AppProgressView({ sending, stored, seen, label }: AppProgressViewProps) {
  const { api, fetcher } = useSendingEnvironment();
  const { messages, size, files, number, duration } = useFormat();
  const [{ note }] = useState(() =>
    createAppProgress({
      baseUrl: api.baseUrl,
      fetcher,
      token: stored.token,
      packageId: stored.id,
      items: sending.items,
      now: () => performance.now(),
    }),
  );
  const [progress, setProgress] = useState<AppProgress | null>(null);
  useEffect(() => {
    let latest = true;
    void note(seen).then((one) => {
      if (latest) setProgress(one);
    });
    return () => {
      latest = false;
    };
  }, [note, seen]);
  if (!progress) return null;
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
