import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Filter } from '#protocol/hosted/filters.ts';
import { limits } from '#protocol/limits.ts';
import { OptionsField, TextAreaField, TextField } from '#ui/field.tsx';
import { de } from '../../messages/de/console/filters.ts';
import { en } from '../../messages/en/console/filters.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { textIn } from '../app/text-in.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ConflictNotice, changedMeanwhile } from '../ui/conflict-notice.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useToast } from '../ui/toasts.tsx';
import { withChanges } from '../ui/with-changes.ts';
import { filterCalls, filtersKey } from './calls.ts';
import { draftOf, readyPatterns, rulesOf, withPattern } from './draft.ts';
import { FilterTester } from './filter-tester.tsx';
import './filters.css';

/** Makes or changes a filter, and shows live which names would go. */
export function FilterDialog({ filter, onClose }: { readonly filter: Filter | null; readonly onClose: () => void }) {
  const { messages } = useTexts({ en, de });
  const { messages: shell } = useShellTexts();
  const team = useTeam();
  const api = useApi(filterCalls);
  const cache = useQueryClient();
  const toast = useToast();
  const [name, setName] = useState(filter?.name ?? '');
  const [draft, setDraft] = useState(() => draftOf(filter?.rules ?? []));
  const [shown, setShown] = useState(false);
  /** What the changes were made to. */
  const [base, setBase] = useState(filter);
  const [theirs, setTheirs] = useState<Filter | null>(null);
  const rules = useMemo(() => rulesOf(draft), [draft]);
  const errors = {
    name: name.trim() === '' ? messages.noName : null,
    patterns: rules.length === 0 ? messages.noPattern : null,
  };
  const save = async () => {
    setShown(true);
    if (errors.name || errors.patterns) return false;
    setTheirs(null);
    if (base) {
      const params = { filter_id: base.id };
      try {
        await api.call('updateFilter', { params, body: { name, rules, expected_updated_at: base.updated_at } });
      } catch (error) {
        const now = await changedMeanwhile(error, base.updated_at, () => api.call('getFilter', { params }));
        if (!now) throw error;
        setTheirs(now);
        return false;
      }
    } else await api.call('createFilter', { params: { team_id: team.id }, body: { name, rules } });
    toast({ text: textIn({ en, de }, ({ messages }) => messages.saved(name)) });
    await cache.invalidateQueries({ queryKey: filtersKey(team.id), exact: true });
    return true;
  };
  /** `keep`: theirs with what was changed here. */
  const takeOver = (now: Filter, keep: boolean): void => {
    const read = { name: base!.name, ...draftOf(base!.rules) };
    const current = { name: now.name, ...draftOf(now.rules) };
    const { name: nextName, ...next } = keep ? withChanges(read, { name, ...draft }, current) : current;
    setName(nextName);
    setDraft(next);
    setBase(now);
    setTheirs(null);
  };
  return (
    <FormDialog
      title={filter ? messages.editTitle(filter.name) : messages.make}
      submit={filter ? shell.save : messages.make}
      onSubmit={save}
      onClose={onClose}
    >
      <div className="filter-editor">
        <div className="form">
          <TextField
            label={messages.name}
            error={shown ? errors.name : null}
            value={name}
            maxLength={limits.nameLength}
            onChange={(event) => setName(event.target.value)}
          />
          <OptionsField label={messages.action} multiple={false}>
            {(['include', 'exclude'] as const).map((action) => (
              <label key={action} className="check">
                <input type="radio" name="action" checked={draft.action === action} onChange={() => setDraft({ ...draft, action })} />
                <span>{messages[action]}</span>
              </label>
            ))}
          </OptionsField>
          <TextAreaField
            label={messages.patterns}
            hint={messages.patternsHint}
            error={shown ? errors.patterns : null}
            className="input mono"
            spellCheck={false}
            value={draft.patterns}
            onChange={(event) => setDraft({ ...draft, patterns: event.target.value })}
          />
          <div className="ready-patterns">
            <span className="hint">{messages.ready}</span>
            {Object.entries(readyPatterns).map(([kind, pattern]) => {
              const label = messages.samples[kind as keyof typeof readyPatterns];
              return (
                <button
                  key={kind}
                  type="button"
                  className="button button-small"
                  aria-label={messages.readyAdd(label)}
                  onClick={() => setDraft(withPattern(draft, pattern))}
                >
                  {label}
                </button>
              );
            })}
          </div>
        </div>
        <FilterTester rules={rules} />
      </div>
      {theirs ? <ConflictNotice text={messages.conflict} onChoose={(keep) => takeOver(theirs, keep)} /> : null}
    </FormDialog>
  );
}
