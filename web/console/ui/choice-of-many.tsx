import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { SelectField } from '#ui/field.tsx';
import { useCountText } from '../app/counted.ts';
import { useShellTexts } from '../app/texts.ts';
import './choice-of-many.css';

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Where things to choose from are looked for. */
export interface ChoiceSource<One extends Named = Named> {
  readonly key: readonly unknown[];
  /** The first `most` by name whose name has the part in it, and how many there are. */
  readonly find: (part: string, most: number, signal: AbortSignal) => Promise<Found<One>>;
  /** Null if there is none. */
  readonly read: (id: string, signal: AbortSignal) => Promise<One | null>;
}

export interface Found<One extends Named = Named> {
  readonly records: readonly One[];
  readonly total: number;
  /** There are more than that. */
  readonly at_least?: boolean;
}

interface ChoiceOfManyProps<One extends Named> {
  readonly source: ChoiceSource<One>;
  readonly label: string;
  /** What the choice of none is called. */
  readonly none: string;
  /** The id of what is chosen; empty for none. */
  readonly value: string;
  readonly error?: string | null;
  /** Leaves out what cannot be meant. */
  readonly without?: string;
  /** In a line of filters: the label is for screen readers alone. */
  readonly inLine?: boolean;
  readonly onChoose: (chosen: One | null) => void;
  /** What was chosen is not there any more. */
  readonly onGone?: () => void;
}

/** Choices in one list; of more the person looks for a part of the name. */
const listed = 50;

/** A choice of one, of however many there are. Where there is nothing to choose from, nothing is shown. */
export function ChoiceOfMany<One extends Named>(props: ChoiceOfManyProps<One>) {
  const { source, label, none, value, error = null, without, inLine = false, onChoose, onGone } = props;
  const { messages, number } = useShellTexts();
  const countText = useCountText();
  const [text, setText] = useState('');
  const part = text.trim();
  const found = useQuery({
    queryKey: [...source.key, 'choice', part],
    queryFn: ({ signal }) => source.find(part, listed, signal),
    placeholderData: keepPreviousData,
  });
  const records = found.data?.records ?? [];
  const isElsewhere = value !== '' && found.data !== undefined && !records.some(({ id }) => id === value);
  const chosen = useQuery({
    queryKey: [...source.key, value, 'name'],
    queryFn: ({ signal }) => source.read(value, signal),
    enabled: isElsewhere,
  });
  const isGone = isElsewhere && chosen.data === null;
  useEffect(() => {
    if (isGone) onGone?.();
  }, [isGone, onGone]);
  const total = found.data?.total ?? 0;
  const options = [...(isElsewhere && chosen.data ? [chosen.data] : []), ...records].filter(({ id }) => id !== without);
  if (options.length === 0 && part === '' && value === '') return null;
  const hint =
    total > records.length
      ? messages.choice.some(number(records.length), countText(found.data ?? { total }))
      : messages.choice.found(number(total));
  const search = {
    type: 'search',
    value: text,
    onChange: (event: { readonly target: { readonly value: string } }) => setText(event.target.value),
    onKeyDown: (event: { readonly key: string; preventDefault(): void }) => {
      // It looks for something, and sends no form.
      if (event.key === 'Enter') event.preventDefault();
    },
  };
  const select = {
    value,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChoose(options.find(({ id }) => id === event.target.value) ?? null),
    children: (
      <>
        <option value="">{none}</option>
        {options.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </>
    ),
  };
  const isMany = total > listed || part !== '';
  const searchLabel = messages.choice.search(label);
  if (inLine) {
    return (
      <>
        {isMany ? <input className="input" aria-label={searchLabel} placeholder={searchLabel} title={hint} {...search} /> : null}
        <select className="input" aria-label={label} {...select} />
      </>
    );
  }
  return (
    <div className="choice-of-many">
      <SelectField label={label} hint={isMany ? hint : undefined} error={error} {...select} />
      {isMany ? <input className="input" aria-label={searchLabel} placeholder={searchLabel} {...search} /> : null}
    </div>
  );
}
