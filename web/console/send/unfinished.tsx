import { useEffect, useState } from 'react';
import type { PackageToSend } from '../../sending/package-to-send.ts';
import type { StoredPackage } from '../../sending/store.ts';
import { UnfinishedCard } from '../../sending/view/unfinished-card.tsx';
import { useTeam } from '../app/account.ts';
import type { RunningPackage } from './running.ts';
import { useRunningPackages, useSender } from './sender.ts';

/** Packages that this person began to send at this browser before, and has not finished. */
export function Unfinished({ running }: { readonly running: readonly RunningPackage[] }) {
  const team = useTeam();
  const sender = useSender();
  const { start } = useRunningPackages();
  const [stored, setStored] = useState<readonly StoredPackage[]>([]);
  useEffect(() => {
    let isCurrent = true;
    sender.store.packages(sender.sender).then(
      (found) => isCurrent && setStored(found),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [sender]);
  const gone = (id: string): void => setStored((before) => before.filter((one) => one.id !== id));
  const resume = (toSend: PackageToSend): void => {
    gone(toSend.stored.id);
    start(sender, toSend, { teamId: team.id, asLink: true });
  };
  return stored
    .filter(({ id }) => !running.some((one) => one.stored.id === id))
    .map((one) => <UnfinishedCard key={one.id} stored={one} onResume={resume} onGone={() => gone(one.id)} />);
}
