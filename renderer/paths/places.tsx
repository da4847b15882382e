import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import type { StartFolder } from '#protocol/agent/paths.ts';
import { DriveIcon, FolderIcon, HistoryIcon, HomeIcon } from '#ui/icons.tsx';
import { useApp } from '../app/context.ts';
import { useFormat } from '../messages/format.ts';
import { baseName } from './path-text.ts';

/** Where a person would look on the agent's machine; drives come and go, so they are read each time. */
export function usePlaces(): readonly StartFolder[] {
  const { client } = useApp();
  const { data } = useQuery({ queryKey: ['places'], queryFn: ({ signal }) => client.call('listPlaces', { signal }), staleTime: 0 });
  return data ?? [];
}

const icons: Readonly<Record<StartFolder['kind'], ComponentType>> = {
  home: HomeIcon,
  volume: DriveIcon,
  recent: HistoryIcon,
  allowed: FolderIcon,
};

interface PlacesProps {
  readonly places: readonly StartFolder[];
  /** The folder that is shown. */
  readonly here: string;
  readonly onGo: (place: StartFolder) => void;
}

/** The places beside the list of a folder. */
export function Places({ places, here, onGo }: PlacesProps) {
  const { messages, size } = useFormat();
  const { browser } = messages.send;
  return (
    <nav className="start-folders" aria-label={browser.places}>
      <ul>
        {places.map((place) => {
          const Icon = icons[place.kind];
          const free = place.free_bytes === undefined ? '' : browser.free(size(place.free_bytes));
          return (
            <li key={place.path}>
              <button
                type="button"
                className="start-folder"
                aria-current={place.path === here ? 'true' : undefined}
                title={[place.path, free].filter(Boolean).join(' · ')}
                onClick={() => onGo(place)}
              >
                <Icon />
                <span className="start-folder-name" dir="auto">
                  {place.kind === 'home' ? browser.home : baseName(place.path)}
                </span>
                {place.allowed ? null : <span className="start-folder-closed">{browser.notAllowed}</span>}
              </button>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
