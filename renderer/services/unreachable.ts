import { createContext, useContext, useMemo } from 'react';
import type { UnreachableService } from '#protocol/agent/system.ts';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import { useStatus } from '../session/queries.ts';

/** Unreachable services as the agent last reported; none while the event stream is disconnected. */
export function useUnreachable(live: boolean): readonly UnreachableService[] {
  const reported = useStatus().data?.unreachable;
  return useMemo(() => (live ? (reported ?? []) : []), [live, reported]);
}

/** Their addresses. The returned value keeps its identity while the content is the same. */
export function useAddresses(services: readonly UnreachableService[]): ReadonlySet<string> {
  const joined = services.map(({ service_url: url }) => url).join('\n');
  return useMemo(() => new Set(joined === '' ? [] : joined.split('\n')), [joined]);
}

/** Addresses of unreachable services, for the rows of a list. */
export const UnreachableContext = createContext<ReadonlySet<string>>(new Set());
export const useUnreachableAddresses = (): ReadonlySet<string> => useContext(UnreachableContext);

/** Whether the transfer would move if its service were reachable. */
export function waitsForService(transfer: AgentTransfer, unreachable: ReadonlySet<string>): boolean {
  const { service_url: url, state, waiting, bytes_per_second: speed } = transfer;
  if (url === undefined || !unreachable.has(url)) return false;
  return state === 'queued' || (state === 'transferring' && (waiting !== null || speed === 0));
}
