import type { ComponentType } from 'react';
import { AboutIcon, HistoryIcon, SettingsIcon, TransfersIcon, WarnIcon } from '#ui/icons.tsx';
import { useFormat } from '../messages/format.ts';
import { useNeedsCount } from '../transfers/needs/use-needs.ts';
import { hrefOf, type Route } from './route.ts';

type NamedRoute = 'transfers' | 'needs' | 'history' | 'settings' | 'about';

const entries: readonly { readonly name: NamedRoute; readonly Icon: ComponentType }[] = [
  { name: 'transfers', Icon: TransfersIcon },
  { name: 'needs', Icon: WarnIcon },
  { name: 'history', Icon: HistoryIcon },
  { name: 'settings', Icon: SettingsIcon },
  { name: 'about', Icon: AboutIcon },
];

/** The navigation to every route of the page. */
export function Navigation({ here }: { here: Route }) {
  const { messages, number } = useFormat();
  const needs = useNeedsCount();
  const isThere = (place: NamedRoute): boolean => place !== 'needs' || needs > 0 || here.name === 'needs';
  return (
    <nav className="places" aria-label={messages.app.places.label}>
      <ul>
        {entries.map(({ name: place, Icon }) =>
          isThere(place) ? (
            <li key={place}>
              <a href={hrefOf({ name: place })} className="place" aria-current={isAt(here, place) ? 'page' : undefined}>
                <Icon />
                <span>{messages.app.places[place]}</span>
                {place === 'needs' && needs > 0 ? <span className="place-count figure">{number(needs)}</span> : null}
              </a>
            </li>
          ) : null,
        )}
      </ul>
    </nav>
  );
}

const isAt = (here: Route, place: NamedRoute): boolean => here.name === place || (place === 'transfers' && here.name === 'transfer');
