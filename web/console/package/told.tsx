import { useState } from 'react';
import type { Package } from '#protocol/hosted/packages.ts';
import { type NoticeKind, noticeKinds } from '#protocol/notices.ts';
import { CheckField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useTexts } from '../app/texts.ts';
import { usePackageActions } from '../packages/actions.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { useToast } from '../ui/toasts.tsx';

/** What the sender of a package is told of by mail; each choice holds at once. */
export function Told({ one }: { readonly one: Package }) {
  const { messages } = useTexts({ en, de });
  const actions = usePackageActions();
  const toast = useToast();
  const fault = useFaultText();
  // Shown before the service has it.
  const [wanted, setWanted] = useState<readonly NoticeKind[] | null>(null);
  const chosen = wanted ?? one.notify ?? [];
  const choose = async (kind: NoticeKind, isOn: boolean): Promise<void> => {
    const notify = noticeKinds.filter((each) => (each === kind ? isOn : chosen.includes(each)));
    setWanted(notify);
    try {
      await actions.notify(one, notify);
      await actions.changed();
    } catch (error) {
      toast({ text: fault(error), tone: 'bad' });
    } finally {
      setWanted(null);
    }
  };
  return (
    <section className="panel">
      <div>
        <h2>{messages.told.title}</h2>
        <p className="hint">{one.portal_id === undefined ? messages.told.text : messages.told.ofPortal}</p>
      </div>
      {noticeKinds.map((kind) => (
        <CheckField
          key={kind}
          label={messages.told[kind]}
          checked={chosen.includes(kind)}
          disabled={wanted !== null}
          onChange={({ target }) => void choose(kind, target.checked)}
        />
      ))}
    </section>
  );
}
