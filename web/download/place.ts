import { createContext, useContext } from 'react';
import type { Fetcher } from '#client/ports.ts';
import type { DownloadClient } from './api.ts';
import type { LinkOfPage, TokenKeep } from './opened-link.ts';
import type { SavingPorts } from './save/saving.ts';

/** What the page works with: its address, the service and the browser. */
export interface Place {
  /** Null where the address is not whole. */
  readonly link: LinkOfPage | null;
  /** Of the service, without a slash at the end. */
  readonly baseUrl: string;
  readonly api: DownloadClient;
  readonly fetcher: Fetcher;
  readonly keep: TokenKeep;
  /** What the browser says of the system. */
  readonly platform: string;
  /** Goes to an address that answers with an attachment, so that the page stays. */
  readonly fetchTo: (address: string) => void;
  /** Null where the browser cannot write into folders. */
  readonly saving: SavingPorts | null;
}

export const PlaceContext = createContext<Place | null>(null);

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (!place) throw new Error('This part of the page stands outside of its place.');
  return place;
}

/** The link's whole address: the same as the page's, without anything that does not belong to it. */
export const linkAddress = ({ baseUrl, link }: Pick<Place, 'baseUrl' | 'link'>): string =>
  link ? `${baseUrl}/d/${encodeURIComponent(link.linkId)}?${new URLSearchParams({ secret: link.secret })}` : '';

/** What opens the same link in the agent. */
export const appAddress = (address: string): string => `longshore://download?${new URLSearchParams({ url: address })}`;

/** What downloads it on a command line. Windows' own takes no single quotes; elsewhere nothing in them means anything. */
export const commandFor = (address: string, platform: string): string =>
  /^win/i.test(platform) ? `longshore get "${address}"` : `longshore get '${address}'`;
