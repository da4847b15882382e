import { createContext, useContext } from 'react';
import type { Fetcher } from '#client/ports.ts';
import type { DownloadClient } from './api.ts';
import type { LinkOfPage, TokenKeep } from './opened-link.ts';
import type { SavingPorts } from './save/saving.ts';

/** The page's dependencies: its address, the service and the browser. */
export interface PageEnvironment {
  /** Null where the address is incomplete. */
  readonly link: LinkOfPage | null;
  /** The service's address without a slash at the end. */
  readonly baseUrl: string;
  readonly api: DownloadClient;
  readonly fetcher: Fetcher;
  readonly keep: TokenKeep;
  /** The platform that the browser reports. */
  readonly platform: string;
  /** Navigates to an address that answers with an attachment, so the page stays open. */
  readonly fetchTo: (address: string) => void;
  /** Null where the browser cannot write into folders. */
  readonly saving: SavingPorts | null;
}

export const PageEnvironmentContext = createContext<PageEnvironment | null>(null);

export function usePageEnvironment(): PageEnvironment {
  const environment = useContext(PageEnvironmentContext);
  if (!environment) throw new Error('PageEnvironmentContext is missing above this component.');
  return environment;
}

/** The link's full address: the page's address without parameters that do not belong to it. */
export const linkAddress = ({ baseUrl, link }: Pick<PageEnvironment, 'baseUrl' | 'link'>): string =>
  link ? `${baseUrl}/d/${encodeURIComponent(link.linkId)}?${new URLSearchParams({ secret: link.secret })}` : '';

/** The address that opens the same link in the agent. */
export const appAddress = (address: string): string => `longshore://download?${new URLSearchParams({ url: address })}`;

/**
 * The command line that downloads the link. The Windows shell does not support single quotes; other shells take their
 * content literally.
 */
export const commandFor = (address: string, platform: string): string =>
  /^win/i.test(platform) ? `longshore get "${address}"` : `longshore get '${address}'`;
