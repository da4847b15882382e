import type { ComponentType } from 'react';
import { AboutIcon, HistoryIcon, SettingsIcon, TransfersIcon } from '../ui/icons.tsx';
import { useTongue } from '../words/words.ts';
import { hrefOf, type Route } from './route.ts';

type NamedPlace = 'transfers' | 'history' | 'settings' | 'about';

const places: readonly { readonly place: NamedPlace; readonly Icon: ComponentType }[] = [
  { place: 'transfers', Icon: TransfersIcon },
  { place: 'history', Icon: HistoryIcon },
  { place: 'settings', Icon: SettingsIcon },
  { place: 'about', Icon: AboutIcon },
];

/** The way to every place of the page. */
export function Places({ here }: { here: Route }) {
  const { words } = useTongue();
  return (
    <nav className="places" aria-label={words.app.places.label}>
      <ul>
        {places.map(({ place, Icon }) => (
          <li key={place}>
            <a href={hrefOf({ place })} className="place" aria-current={isAt(here, place) ? 'page' : undefined}>
              <Icon />
              <span>{words.app.places[place]}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const isAt = (here: Route, place: NamedPlace): boolean => here.place === place || (place === 'transfers' && here.place === 'transfer');
