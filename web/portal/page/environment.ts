import type { Context } from 'react';
import { type SendingEnvironment, SendingEnvironmentContext, useSendingEnvironment } from '../../sending/view/environment.ts';
import type { PortalAddress } from './portal-address.ts';

/** The page's dependencies: its address, the service and the browser. */
export interface PageEnvironment extends PortalAddress, SendingEnvironment {}

/** The context of what sends, which knows a part of it: one provider is enough for both. */
export const PageEnvironmentContext = SendingEnvironmentContext as unknown as Context<PageEnvironment | null>;

export const usePageEnvironment = useSendingEnvironment as () => PageEnvironment;
