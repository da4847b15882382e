import { useState } from 'react';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { DownloadIcon, PlusIcon, SearchIcon, SendIcon } from '#ui/icons.tsx';
import { Notice } from '#ui/notice.tsx';
import { useLive } from '../../app/live.ts';
import { hrefOf } from '../../app/route.ts';
import { useFaultText } from '../../messages/fault-text.tsx';
import { useFormat } from '../../messages/format.ts';
import { RemoveDialog } from '../actions/remove-dialog.tsx';
import { listed, needsOf } from '../describe-automation.ts';
import { ExportDialog } from '../exchange/export-dialog.tsx';
import { ImportDialog } from '../exchange/import-dialog.tsx';
import { useAutomationNames } from '../names.ts';
import { useAutomations } from '../queries.ts';
import { AutomationMenu, type MenuTarget } from './automation-menu.tsx';
import { AutomationRow } from './automation-row.tsx';
import { Empty } from './empty.tsx';

type OpenDialog =
  | { readonly kind: 'import' }
  | { readonly kind: 'export'; readonly chosen: readonly string[] }
  | { readonly kind: 'remove'; readonly automation: Automation };

/** From this many on a list can be searched. */
const searchedFrom = 8;

/** All automations: what each does, how it stands, and what can be done with it. */
export function AutomationList() {
  const format = useFormat();
  const { messages, tag } = format;
  const texts = messages.automations;
  const fault = useFaultText();
  const live = useLive();
  const { data, error, refetch } = useAutomations();
  const [search, setSearch] = useState('');
  const [menu, setMenu] = useState<MenuTarget | null>(null);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = (): void => setDialog(null);
  const all = data ?? [];
  const shown = listed(all, search, tag);
  const names = useAutomationNames(all);
  return (
    <div className="transfers">
      <header className="transfers-head">
        <h1>{texts.title}</h1>
        {all.length > 0 ? <Summary automations={all} /> : null}
        {data ? (
          <div className="automations-acts">
            <button type="button" className="button button-small" onClick={() => setDialog({ kind: 'import' })}>
              <SendIcon /> {texts.import.button}
            </button>
            {all.length > 0 ? (
              <>
                <button
                  type="button"
                  className="button button-small"
                  onClick={() => setDialog({ kind: 'export', chosen: all.map(({ id }) => id) })}
                >
                  <DownloadIcon /> {texts.export.button}
                </button>
                <a className="button button-small button-primary" href={hrefOf({ name: 'new-automation' })}>
                  <PlusIcon /> {texts.add}
                </a>
              </>
            ) : null}
          </div>
        ) : null}
      </header>
      {error && live ? (
        <Notice tone="bad">
          {fault(error)}{' '}
          <button type="button" className="button-link" onClick={() => void refetch()}>
            {messages.app.tryAgain}
          </button>
        </Notice>
      ) : null}
      {!data && !(error && live) ? (
        <p className="hint" role="status">
          {error ? messages.app.offline.shows : texts.loading}
        </p>
      ) : null}
      {all.length >= searchedFrom ? (
        <search className="search">
          <SearchIcon />
          <input
            type="search"
            className="input"
            aria-label={texts.search}
            placeholder={texts.search}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </search>
      ) : null}
      {data && all.length === 0 ? <Empty /> : null}
      {all.length > 0 && shown.length === 0 ? (
        <p className="hint" role="status">
          {texts.noneFound}
        </p>
      ) : null}
      {shown.length > 0 ? (
        <ul className="automations" aria-label={texts.title}>
          {shown.map((automation) => (
            <AutomationRow key={automation.id} automation={automation} names={names} onMenu={(button) => setMenu({ automation, button })} />
          ))}
        </ul>
      ) : null}
      {menu ? (
        <AutomationMenu
          target={menu}
          onClose={() => setMenu(null)}
          onExport={({ id }) => setDialog({ kind: 'export', chosen: [id] })}
          onRemove={(automation) => setDialog({ kind: 'remove', automation })}
        />
      ) : null}
      {dialog?.kind === 'import' ? <ImportDialog onClose={close} /> : null}
      {dialog?.kind === 'export' ? <ExportDialog automations={listed(all, '', tag)} chosen={dialog.chosen} onClose={close} /> : null}
      {dialog?.kind === 'remove' ? <RemoveDialog automation={dialog.automation} onClose={close} /> : null}
    </div>
  );
}

/** How many there are, and how many of them are not simply watching. */
function Summary({ automations }: { automations: readonly Automation[] }) {
  const { messages, number } = useFormat();
  const { summary } = messages.automations;
  const inState = (state: Automation['state']): number => automations.filter((one) => one.state === state).length;
  const [working, resting, problem] = [inState('working'), inState('resting'), inState('error')];
  const needs = automations.filter((one) => needsOf(one) > 0).length;
  const parts = [
    summary.all(number(automations.length), automations.length === 1),
    working > 0 ? summary.working(number(working)) : '',
    resting > 0 ? summary.resting(number(resting)) : '',
    problem > 0 ? summary.problem(number(problem)) : '',
    needs > 0 ? summary.needs(number(needs), needs === 1) : '',
  ];
  return <p className="hint figure">{parts.filter(Boolean).join(' · ')}</p>;
}
