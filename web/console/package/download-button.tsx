import { useState } from 'react';
import type { OwnTeam } from '#protocol/hosted/accounts.ts';
import type { Link } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { hasPassed } from '#ui/has-passed.ts';
import { DownloadIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useAccount, useTeam } from '../app/account.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { useToast } from '../ui/toasts.tsx';
import { useLinkActions } from './link-actions.ts';
import type { PackageParts } from './queries.ts';

type Demands = Pick<OwnTeam, 'password_required' | 'verify_recipient_required'>;

/** A link by which somebody downloads, and is asked for nothing but what the Team demands of every link. */
const openLinkOf = (links: readonly Link[], email: string, team: Demands): Link | undefined =>
  links.find(
    (link) =>
      link.email.toLowerCase() === email.toLowerCase() &&
      link.active &&
      !hasPassed(link.expiry) &&
      link.access_limit === 0 &&
      (link.password === '' || team.password_required) &&
      (!link.verify_recipient || team.verify_recipient_required),
  );

/** Leads whoever is signed in to the download page, by a link of their own that is made the first time: downloads have names. */
export function DownloadButton({ one, parts: { links } }: { readonly one: Package; readonly parts: PackageParts }) {
  const { messages } = useTexts({ en, de });
  const { email } = useAccount().user;
  const team = useTeam();
  const { addFor } = useLinkActions(one);
  const toast = useToast();
  const fault = useFaultText();
  const [isBusy, setBusy] = useState(false);

  const open = async (): Promise<void> => {
    const own = openLinkOf(links.data ?? [], email, team);
    if (own) return void window.open(own.url, '_blank', 'noopener');
    // Opened while the click is heard, as browsers take a later one for a pop-up.
    const tab = window.open('about:blank', '_blank');
    setBusy(true);
    try {
      const { url } = await addFor(email, {
        ...(team.password_required ? {} : { password: '' }),
        ...(team.verify_recipient_required ? {} : { verify_recipient: false }),
      });
      if (!tab) return location.assign(url);
      tab.opener = null;
      tab.location.replace(url);
    } catch (error) {
      tab?.close();
      toast({ text: fault(error), tone: 'bad' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" className="button button-primary" disabled={isBusy || !links.data} onClick={() => void open()}>
      <DownloadIcon /> {messages.act.download}
    </button>
  );
}
