import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Package } from '#protocol/hosted/packages.ts';
import { ModalDialog } from '#ui/dialog.tsx';
import { CheckField, TextField } from '#ui/field.tsx';
import { Notice } from '#ui/notice.tsx';
import { ProgressBar } from '#ui/progress-bar.tsx';
import { de } from '../../messages/de/console/packages.ts';
import { en } from '../../messages/en/console/packages.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';
import { useShellTexts, useTexts } from '../app/texts.ts';
import { ChoiceOfMany } from '../ui/choice-of-many.tsx';
import { useChoiceSources } from '../ui/choice-sources.ts';
import { useFaultText } from '../ui/fault-text.ts';
import { expiryDay, usePackageActions } from './actions.ts';
import { type BulkResult, runBulk } from './bulk.ts';

export type BulkKind = 'extend' | 'tag' | 'archive' | 'unarchive' | 'remove';

const calls = defineCalls({ listTags: { method: 'GET', path: '/v1/teams/{team_id}/tags', reply: { status: 200 } } });

interface BulkDialogProps {
  readonly kind: BulkKind;
  readonly chosen: readonly Package[];
  /** `changed`: something was done. */
  readonly onClose: (changed: boolean) => void;
}

type State =
  | { readonly is: 'asking' }
  | { readonly is: 'running'; readonly over: number }
  | { readonly is: 'over'; readonly result: BulkResult<Package> };

/** Asks how, does it package by package with its progress, can be stopped, and names those that failed. */
export function BulkDialog({ kind, chosen: given, onClose }: BulkDialogProps) {
  const { messages, number } = useTexts({ en, de });
  const shell = useShellTexts().messages;
  const actions = usePackageActions();
  // A list that changes meanwhile does not change what was asked about.
  const [chosen] = useState(given);
  const isOne = chosen.length === 1;
  const [state, setState] = useState<State>({ is: 'asking' });
  // One package has a day already, which is what is changed.
  const [day, setDay] = useState(() => (isOne ? expiryDay(chosen[0]!) : ''));
  const [never, setNever] = useState(isOne && chosen[0]!.unlimited_storage);
  const [tagId, setTagId] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef(new AbortController());

  const act = (one: Package): Promise<unknown> => {
    switch (kind) {
      case 'extend':
        return actions.extend(one, never ? '' : day);
      case 'tag':
        return actions.tag(one, tagId);
      default:
        return actions[kind](one);
    }
  };
  const begin = async (): Promise<void> => {
    const missing = missingOf(kind, { day, never, tagId });
    if (missing) return setProblem(messages[missing].missing);
    setState({ is: 'running', over: 0 });
    const result = await runBulk(chosen, act, { signal: stop.current.signal, onProgress: (over) => setState({ is: 'running', over }) });
    void actions.changed();
    if (result.failures.length === 0 && result.left === 0) onClose(true);
    else setState({ is: 'over', result });
  };
  const leave = (): void => {
    stop.current.abort();
    if (state.is !== 'running') onClose(state.is === 'over');
  };
  return (
    <ModalDialog title={messages[kind].title(isOne)} closeLabel={shell.close} onLeave={leave}>
      {state.is === 'asking' ? (
        <form
          className="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void begin();
          }}
        >
          {kind === 'extend' ? (
            <>
              <TextField
                label={messages.extend.day}
                type="date"
                value={day}
                disabled={never}
                error={problem}
                onChange={(event) => setDay(event.target.value)}
              />
              <CheckField label={messages.extend.never(isOne)} checked={never} onChange={(event) => setNever(event.target.checked)} />
            </>
          ) : kind === 'tag' ? (
            <TagChoice value={tagId} problem={problem} onChoose={setTagId} />
          ) : (
            <p>{messages[kind].text(isOne)}</p>
          )}
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => onClose(false)}>
              {shell.cancel}
            </button>
            <button type="submit" className={`button ${kind === 'remove' ? 'button-danger' : 'button-primary'}`}>
              {messages.act[kind]}
            </button>
          </div>
        </form>
      ) : state.is === 'running' ? (
        <div className="form">
          <ProgressBar tone="moving" label={messages.act[kind]} share={state.over / chosen.length} />
          <p role="status">{messages.bulk.running(number(state.over), number(chosen.length))}</p>
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => stop.current.abort()}>
              {messages.bulk.stop}
            </button>
          </div>
        </div>
      ) : (
        <Outcome result={state.result} onClose={() => onClose(true)} />
      )}
    </ModalDialog>
  );
}

function missingOf(kind: BulkKind, { day, never, tagId }: { day: string; never: boolean; tagId: string }): 'extend' | 'tag' | null {
  if (kind === 'tag' && tagId === '') return 'tag';
  if (kind === 'extend' && !never && !(new Date(`${day}T23:59:59`).getTime() > Date.now())) return 'extend';
  return null;
}

interface TagChoiceProps {
  readonly value: string;
  readonly problem: string | null;
  readonly onChoose: (id: string) => void;
}

function TagChoice({ value, problem, onChoose }: TagChoiceProps) {
  const { messages } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(calls);
  const sources = useChoiceSources();
  const tags = useQuery({ queryKey: ['team', team.id, 'tags'], queryFn: () => api.call('listTags', { params: { team_id: team.id } }) });
  if (tags.data?.length === 0) return <p>{messages.tag.none}</p>;
  return (
    <ChoiceOfMany
      source={sources.tags}
      label={messages.tag.tag}
      none=""
      value={value}
      error={problem}
      onChoose={(chosen) => onChoose(chosen?.id ?? '')}
    />
  );
}

function Outcome({ result: { done, failures, left }, onClose }: { readonly result: BulkResult<Package>; readonly onClose: () => void }) {
  const { messages, number } = useTexts({ en, de });
  const shell = useShellTexts().messages;
  const fault = useFaultText();
  const { bulk } = messages;
  return (
    <div className="form">
      <p role="status">
        {bulk.done(number(done), done === 1)} {left > 0 ? bulk.left(number(left), left === 1) : ''}
      </p>
      {failures.length > 0 ? (
        <Notice tone="bad">
          <p>{bulk.failed(number(failures.length), failures.length === 1)}</p>
          <ul className="bulk-failures">
            {failures.map(({ item, error }) => (
              <li key={item.id}>
                <strong dir="auto">{item.name}</strong>: {fault(error)}
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
      <div className="dialog-actions">
        <button type="button" className="button button-primary" onClick={onClose}>
          {shell.close}
        </button>
      </div>
    </div>
  );
}
