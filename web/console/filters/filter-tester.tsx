import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { FilterRule } from '#protocol/hosted/filters.ts';
import { limits } from '#protocol/limits.ts';
import { TextAreaField } from '#ui/field.tsx';
import { CheckIcon, CloseIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { de } from '../../messages/de/console/filters.ts';
import { en } from '../../messages/en/console/filters.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { filterCalls, filtersKey } from './calls.ts';
import { linesOf } from './draft.ts';

/** Milliseconds after the last key until the service is asked. */
const pause = 300;

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Shows, while a filter is written, which of some names would go. The service decides, as it does for transfers. */
export function FilterTester({ rules }: { readonly rules: readonly FilterRule[] }) {
  const { messages, number } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(filterCalls);
  const fault = useFaultText();
  const folder = useRef<HTMLInputElement>(null);
  const [text, setText] = useState<string>(messages.sampleNames);
  const lines = linesOf(text);
  const names = lines.slice(0, limits.filterTestNames);
  const asked = useSettled(JSON.stringify({ rules, names }));
  const tried = useQuery({
    queryKey: [...filtersKey(team.id), 'test', asked],
    queryFn: ({ signal }) =>
      api.call('testFilter', {
        params: { team_id: team.id },
        body: JSON.parse(asked) as { rules: FilterRule[]; names: string[] },
        signal,
      }),
    enabled: rules.length > 0 && names.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const records = rules.length > 0 && names.length > 0 && !tried.error ? (tried.data?.records ?? []) : [];
  const going = records.filter(({ goes }) => goes).length;
  return (
    <section className="filter-tester">
      <h3>{messages.tester}</h3>
      <TextAreaField
        label={messages.names}
        hint={messages.namesHint}
        rows={5}
        spellCheck={false}
        className="input mono"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <input
        ref={folder}
        type="file"
        hidden
        multiple
        {...{ webkitdirectory: '' }}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          if (files.length > 0) setText(files.map((file) => file.webkitRelativePath || file.name).join('\n'));
          event.target.value = '';
        }}
      />
      <button type="button" className="button button-small filter-folder" onClick={() => folder.current?.click()}>
        {messages.chooseFolder}
      </button>
      {lines.length > names.length ? <p className="hint">{messages.tooMany(number(limits.filterTestNames))}</p> : null}
      {tried.error && rules.length > 0 ? <Notice tone="warn">{fault(tried.error)}</Notice> : null}
      {records.length > 0 ? (
        <>
          <p role="status">{messages.summary(number(going), number(records.length))}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
          <ul className="filter-results" aria-label={messages.results} tabIndex={0}>
            {records.map(({ name, goes }, index) => (
              <li key={index} className={goes ? 'filter-goes' : 'filter-stays'}>
                {goes ? <CheckIcon /> : <CloseIcon />}
                <span className="mono" dir="auto">
                  {name}
                </span>
                <span className="filter-word">{goes ? messages.goes : messages.stays}</span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </section>
  );
}
