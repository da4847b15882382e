import type { ComponentType } from 'react';
import { AboutIcon, AutomationIcon, HistoryIcon, SettingsIcon, TransfersIcon, WarnIcon } from '#ui/icons.tsx';
import { useAutomationNeeds } from '../automations/needs.tsx';
import { useFormat } from '../messages/format.ts';
import { useOpenWarnings } from '../notices/open-warnings.ts';
import { useUnreachableAddresses } from '../services/unreachable.ts';
import { useNeedsCount } from '../transfers/needs/use-needs-count.ts';
import { useLive } from './live.ts';
import { hrefOf, type Route } from './route.ts';

type NamedRoute = 'transfers' | 'needs' | 'automations' | 'history' | 'settings' | 'about';

const entries: readonly { readonly name: NamedRoute; readonly Icon: ComponentType }[] = [
  { name: 'transfers', Icon: TransfersIcon },
  { name: 'needs', Icon: WarnIcon },
  { name: 'automations', Icon: AutomationIcon },
  { name: 'history', Icon: HistoryIcon },
  { name: 'settings', Icon: SettingsIcon },
  { name: 'about', Icon: AboutIcon },
];

/** The navigation to every route of the page. */
export function Navigation({ here }: { here: Route }) {
  const { messages, number } = useFormat();
  const needs = useNeedsCount() + useAutomationNeeds().count;
  const isShown = (name: NamedRoute): boolean => name !== 'needs' || needs > 0 || here.name === 'needs';
  return (
    <nav className="nav" aria-label={messages.app.nav.label}>
      <ul>
        {entries.map(({ name, Icon }) =>
          isShown(name) ? (
            <li key={name} className={`nav-${name}`}>
              <a href={hrefOf({ name })} className="nav-link" aria-current={isAt(here, name) ? 'page' : undefined}>
                <Icon />
                <span>{messages.app.nav[name]}</span>
                {name === 'needs' && needs > 0 ? <span className="nav-count figure">{number(needs)}</span> : null}
              </a>
            </li>
          ) : null,
        )}
      </ul>
    </nav>
  );
}

/** The entry that a route belongs to, where it has none of its own. */
const entryOf: Partial<Record<Route['name'], NamedRoute>> = {
  transfer: 'transfers',
  automation: 'automations',
  'new-automation': 'automations',
  'edit-automation': 'automations',
};

const isAt = (here: Route, name: NamedRoute): boolean => (entryOf[here.name] ?? here.name) === name;

/** Whether the agent is connected, and whether it has warnings for the person. */
export function AgentState() {
  const { messages, number } = useFormat();
  const live = useLive();
  const cutOff = useUnreachableAddresses().size > 0;
  const notices = useOpenWarnings().length;
  return (
    <p className="agent-state">
      <span className={`dot dot-${live ? (cutOff ? 'warn' : 'good') : 'bad'}`} aria-hidden="true" />
      {live ? (cutOff ? messages.app.unreachable.short : messages.app.agent.running) : messages.app.agent.away}
      {notices > 0 ? <a href={hrefOf({ name: 'about' })}>{messages.app.agent.notices(number(notices), notices === 1)}</a> : null}
    </p>
  );
}
