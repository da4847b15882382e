import { useState } from 'react';
import type { GetDraft } from '../app/tasks.ts';
import { useLocale } from '../messages/locale.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ChooseAndGet } from './choose-and-get.tsx';
import { LinkForm, type OpenedLink } from './link-form.tsx';

/** Downloads the package behind a link: first the link is opened, then the person chooses files and a folder. */
export function GetDialog({ draft, onClose }: { draft: GetDraft; onClose: () => void }) {
  const { get: messages } = useLocale().messages;
  const [url, setUrl] = useState(draft.url ?? '');
  const [opened, setOpened] = useState<OpenedLink | null>(null);
  return (
    <Dialog title={messages.title} onClose={onClose} filled={false}>
      {opened ? (
        <ChooseAndGet opened={opened} onOther={() => setOpened(null)} onClose={onClose} />
      ) : (
        <LinkForm url={url} onUrl={setUrl} onOpen={setOpened} onLeft={onClose} />
      )}
    </Dialog>
  );
}
