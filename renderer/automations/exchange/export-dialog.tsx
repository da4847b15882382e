import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { CheckIcon, CopyIcon, DownloadIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../../app/context.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useLocale } from '../../messages/locale.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { saveText } from './save-text.ts';

interface ExportDialogProps {
  readonly automations: readonly Automation[];
  /** Those that are chosen at first. */
  readonly chosen: readonly string[];
  readonly onClose: () => void;
}

type Done = { readonly how: 'copied' } | { readonly how: 'byHand'; readonly yaml: string };

/** Writes automations as YAML, to a file or to the clipboard. */
export function ExportDialog({ automations, chosen: first, onClose }: ExportDialogProps) {
  const { client } = useApp();
  const { export: texts } = useLocale().messages.automations;
  const fault = useFaultText();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(first));
  const ids = automations.map(({ id }) => id).filter((id) => chosen.has(id));
  const all = ids.length === automations.length;
  const text = async (): Promise<string> => (await client.call('exportAutomations', { query: all ? {} : { ids } })).yaml;
  const save = useMutation({ mutationFn: async () => saveText('automations.yaml', await text()), onSuccess: onClose });
  const copy = useMutation({
    async mutationFn(): Promise<Done> {
      const yaml = await text();
      try {
        await navigator.clipboard.writeText(yaml);
        return { how: 'copied' };
      } catch {
        return { how: 'byHand', yaml };
      }
    },
  });
  const choose = (id: string, on: boolean): void => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
    copy.reset();
  };
  const failure = save.error ?? copy.error;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <div className="form">
        <p>{texts.text}</p>
        {failure ? <Notice tone="bad">{fault(failure)}</Notice> : null}
        <fieldset className="field options export-choice">
          <legend>{texts.choose}</legend>
          {automations.length > 1 ? (
            <label className="check">
              <input
                type="checkbox"
                checked={all}
                onChange={({ target }) => {
                  setChosen(new Set(target.checked ? automations.map(({ id }) => id) : []));
                  copy.reset();
                }}
              />
              <span>{texts.all}</span>
            </label>
          ) : null}
          {automations.map(({ id, name }) => (
            <label key={id} className="check" dir="auto">
              <input type="checkbox" checked={chosen.has(id)} onChange={({ target }) => choose(id, target.checked)} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        {ids.length === 0 ? <p className="hint">{texts.none}</p> : null}
        {copy.data?.how === 'byHand' ? <ByHand yaml={copy.data.yaml} label={texts.byHand} /> : null}
        <div className="dialog-actions">
          <button type="button" className="button" disabled={ids.length === 0 || copy.isPending} onClick={() => copy.mutate()}>
            {copy.data?.how === 'copied' ? <CheckIcon /> : <CopyIcon />}
            <span aria-live="polite">{copy.data?.how === 'copied' ? texts.copied : texts.copy}</span>
          </button>
          <button
            type="button"
            className="button button-primary"
            disabled={ids.length === 0 || save.isPending}
            onClick={() => save.mutate()}
          >
            <DownloadIcon /> {texts.save}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** Over plain HTTP a browser does not let a page copy. */
function ByHand({ yaml, label }: { yaml: string; label: string }) {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.select(), []);
  return (
    <label className="field">
      <span>{label}</span>
      <textarea ref={area} className="input mono" rows={8} readOnly value={yaml} />
    </label>
  );
}
