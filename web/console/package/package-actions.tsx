import { useState } from 'react';
import type { Package } from '#protocol/hosted/packages.ts';
import { TextField } from '#ui/field.tsx';
import { MenuItem } from '#ui/menu.tsx';
import { de } from '../../messages/de/console/package.ts';
import { en } from '../../messages/en/console/package.ts';
import { useMay } from '../app/account.ts';
import { textIn } from '../app/text-in.ts';
import { useTexts } from '../app/texts.ts';
import { usePackageActions } from '../packages/actions.ts';
import { BulkDialog, type BulkKind } from '../packages/bulk-dialog.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { useToast } from '../ui/toasts.tsx';
import { DownloadButton } from './download-button.tsx';
import { HoldDialog } from './hold.tsx';
import { isOutOfTime, type PackageParts } from './queries.ts';

/** What can be done with a package as a whole; the dialogs are those for many packages. */
export function PackageActions({ one, parts }: { readonly one: Package; readonly parts: PackageParts }) {
  const { messages } = useTexts({ en, de });
  const toast = useToast();
  const [open, setOpen] = useState<BulkKind | 'rename' | 'hold' | null>(null);
  const may = useMay();
  const over: readonly BulkKind[] =
    one.state === 'archived' ? ['unarchive'] : one.state === 'expired' ? ['archive'] : one.hold ? ['tag'] : ['tag', 'remove'];
  return (
    <>
      {one.state === 'finalized' && !isOutOfTime(one) ? <DownloadButton one={one} parts={parts} /> : null}
      {one.state === 'finalized' ? (
        <button type="button" className="button" onClick={() => setOpen('extend')}>
          {messages.act.extend}
        </button>
      ) : null}
      <MenuButton label={messages.act.more} className="button button-icon">
        {one.state === 'finalized' || one.state === 'new' ? (
          <MenuItem label={messages.act.rename} onChoose={() => setOpen('rename')} />
        ) : null}
        {over.map((kind) => (
          <MenuItem key={kind} label={messages.act[kind]} onChoose={() => setOpen(kind)} />
        ))}
        {one.state === 'finalized' && may('packages.hold') ? (
          <MenuItem label={one.hold ? messages.act.lift : messages.act.hold} onChoose={() => setOpen('hold')} />
        ) : null}
      </MenuButton>
      {open === 'hold' ? <HoldDialog one={one} onClose={() => setOpen(null)} /> : null}
      {open === 'rename' ? <RenameDialog one={one} onClose={() => setOpen(null)} /> : null}
      {open !== null && open !== 'rename' && open !== 'hold' ? (
        <BulkDialog
          kind={open}
          chosen={[one]}
          onClose={(changed) => {
            setOpen(null);
            if (changed) toast({ text: textIn({ en, de }, ({ messages }) => (open === 'remove' ? messages.removed : messages.saved)) });
          }}
        />
      ) : null}
    </>
  );
}

function RenameDialog({ one, onClose }: { readonly one: Package; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const actions = usePackageActions();
  const [name, setName] = useState(one.name);
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <FormDialog
      title={messages.act.rename}
      submit={messages.act.rename}
      onClose={onClose}
      onSubmit={async () => {
        if (name.trim() === '') {
          setProblem(messages.rename.missing);
          return false;
        }
        await actions.rename(one, name.trim());
        return actions.changed();
      }}
    >
      <TextField label={messages.rename.name} value={name} error={problem} onChange={(event) => setName(event.target.value)} />
    </FormDialog>
  );
}
