import type { ComponentType } from 'react';
import { AboutIcon, HistoryIcon, SettingsIcon, TransfersIcon, WarnIcon } from '#ui/icons.tsx';
import { useFormat } from '../messages/format.ts';
import { useNeedsCount } from '../transfers/needs/use-needs.ts';
import { hrefOf, type Route } from './route.ts';

type NamedPlace = 'transfers' | 'needs' | 'history' | 'settings' | 'about';

const places: readonly { readonly place: NamedPlace; readonly Icon: ComponentType }[] = [
  { place: 'transfers', Icon: TransfersIcon },
  { place: 'needs', Icon: WarnIcon },
  { place: 'history', Icon: HistoryIcon },
  { place: 'settings', Icon: SettingsIcon },
  { place: 'about', Icon: AboutIcon },
];

/** The navigation to every route of the page. */
export function Places({ here }: { here: Route }) {
  const { messages, number } = useFormat();
  const needs = useNeedsCount();
  const isThere = (place: NamedPlace): boolean => place !== 'needs' || needs > 0 || here.place === 'needs';
  return (
    <nav className="places" aria-label={messages.app.places.label}>
      <ul>
        {places.map(({ place, Icon }) =>
          isThere(place) ? (
            <li key={place}>
              <a href={hrefOf({ place })} className="place" aria-current={isAt(here, place) ? 'page' : undefined}>
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

const isAt = (here: Route, place: NamedPlace): boolean => here.place === place || (place === 'transfers' && here.place === 'transfer');
