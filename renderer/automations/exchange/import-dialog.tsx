import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { TextAreaField } from '#ui/field.tsx';
import { FileIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useApp } from '../../app/context.ts';
import { hrefOf } from '../../app/route.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { absorbAutomation } from '../queries.ts';
import { lineOfFault, rangeOfLine } from './line-of-fault.ts';

/** As much as the agent takes, in characters; a file is not read beyond it. */
const mostCharacters = 1_000_000;

/** Makes or changes automations by a YAML text, pasted or out of a file. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { client } = useApp();
  const cache = useQueryClient();
  const { messages, number, size } = useFormat();
  const { import: texts } = messages.automations;
  const fault = useFaultText();
  const form = useRef<HTMLFormElement>(null);
  const [yaml, setYaml] = useState('');
  const [fileFault, setFileFault] = useState('');
  const imported = useMutation({
    mutationFn: (text: string) => client.call('importAutomations', { body: { yaml: text } }),
    onSuccess: ({ automations }) => {
      for (const one of automations) absorbAutomation(cache, one);
    },
    onError(error, text) {
      const line = lineOfFault(error);
      const area = form.current?.querySelector('textarea');
      if (line === null || !area) return;
      area.focus();
      area.setSelectionRange(...rangeOfLine(text, line));
    },
  });
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setFileFault('');
    imported.reset();
    // A character takes four bytes at most.
    if (file.size > 4 * mostCharacters) return setFileFault(texts.tooLarge(size(4 * mostCharacters)));
    try {
      setYaml(new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()));
    } catch {
      setFileFault(texts.unreadable);
    }
  };
  if (imported.data) {
    const { created, updated, unchanged, automations } = imported.data;
    return (
      <Dialog title={texts.title} onClose={onClose}>
        <div className="form">
          <Notice tone="plain">{texts.done(number(created), number(updated), number(unchanged))}</Notice>
          <ul className="import-list">
            {automations.map(({ id, name }) => (
              <li key={id}>
                <a href={hrefOf({ name: 'automation', id })} onClick={onClose} dir="auto">
                  {name}
                </a>
              </li>
            ))}
          </ul>
          <div className="dialog-actions">
            <button
              type="button"
              className="button"
              onClick={() => {
                setYaml('');
                imported.reset();
              }}
            >
              {texts.another}
            </button>
            <button type="button" className="button button-primary" onClick={onClose}>
              {messages.app.close}
            </button>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.title} onClose={onClose} filled={yaml !== ''}>
      <form
        ref={form}
        className="form"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          imported.mutate(yaml);
        }}
      >
        <p>{texts.text}</p>
        {imported.error ? <Notice tone="bad">{fault(imported.error)}</Notice> : null}
        {fileFault ? <Notice tone="bad">{fileFault}</Notice> : null}
        <TextAreaField
          label={texts.yaml}
          required
          rows={12}
          className="input mono"
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          maxLength={mostCharacters}
          placeholder={'automations:\n  - name: Renders\n    kind: team_upload\n'}
          value={yaml}
          onChange={(event) => {
            setYaml(event.target.value);
            imported.reset();
          }}
        />
        <div>
          <label className="button button-small file-button">
            <FileIcon /> {texts.file}
            <input
              type="file"
              className="visually-hidden"
              accept=".yaml,.yml,.txt,application/yaml,text/yaml,text/plain"
              onChange={({ target }) => {
                void read(target.files?.[0]);
                // The same file can be chosen once more.
                target.value = '';
              }}
            />
          </label>
        </div>
        <div className="dialog-actions">
          <CancelButton />
          <button type="submit" className="button button-primary" disabled={imported.isPending || yaml.trim() === ''}>
            {imported.isPending ? texts.going : texts.go}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
