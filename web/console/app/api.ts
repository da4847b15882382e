import { createContext, useContext, useMemo } from 'react';
import { type CallableRoutes, createClientOf, type HostedClient } from '#client/calls.ts';
import { refusal } from '#client/refusals.ts';
import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import { newSpanId, newTraceId, traceparentOf } from '#protocol/trace-context.ts';
import type { BrowserFetcher } from '../../common/browser-fetcher.ts';
import type { Connection } from './connection.ts';

/**
 * The calls that a view makes. They are declared beside the view and checked against the route table by type only: the
 * table with its schemas would be larger than the whole console.
 */
export const defineCalls = <const Names extends HostedRouteName>(calls: CallableRoutes<Names>): CallableRoutes<Names> => calls;

/** How the console talks to the service. */
export interface ConsoleTransport {
  /** The service's address without a slash at the end. */
  readonly baseUrl: string;
  readonly fetcher: BrowserFetcher;
  /** For calls whose answer takes long by intent: the service waits for something, or for somebody else's storage. */
  readonly patientFetcher: BrowserFetcher;
  /** For answers that go on for minutes, with seconds of silence. */
  readonly streamFetcher: BrowserFetcher;
}

export const TransportContext = createContext<ConsoleTransport | null>(null);

export function useTransport(): ConsoleTransport {
  const transport = useContext(TransportContext);
  if (!transport) throw new Error('TransportContext is missing above this component.');
  return transport;
}

/** A client of the service for the calls that a view declares. The signed-in person's cookie goes with each of them. */
export function useApi<Names extends HostedRouteName>(calls: CallableRoutes<Names>): HostedClient<Names> {
  const transport = useTransport();
  return useMemo(() => createClientOf(calls, transport), [calls, transport]);
}

/** The same for calls that take longer than others may, up to a minute. */
export function usePatientApi<Names extends HostedRouteName>(calls: CallableRoutes<Names>): HostedClient<Names> {
  const { baseUrl, patientFetcher: fetcher } = useTransport();
  return useMemo(() => createClientOf(calls, { baseUrl, fetcher }), [calls, baseUrl, fetcher]);
}

interface ConsoleFetcherParts {
  /** Sends cookies. */
  readonly send: BrowserFetcher;
  readonly connection: Connection;
  /** The language of texts that a call causes, such as mail. */
  readonly language: () => string;
  /** The session does not stand any more: it was ended elsewhere, or its time is over. */
  readonly onEnded: () => void;
}

/** Adds what the service's own pages send with each call (docs/contract/users-and-auth.md §6), and watches the answers. */
export function consoleFetcher({ send, connection, language, onEnded }: ConsoleFetcherParts): BrowserFetcher {
  return async (request) => {
    // A console is open for days: each call has a trace of its own.
    const traceparent = traceparentOf({ traceId: newTraceId(), spanId: newSpanId(), sampled: false });
    const headers = { ...request.headers, traceparent, 'x-longshore-page': '1', 'accept-language': language() };
    let isAnswered = false;
    const heard = (piece: string): void => {
      if (!isAnswered) connection.report(true);
      isAnswered = true;
      request.onText?.(piece);
    };
    try {
      const reply = await send({ ...request, headers, ...(request.onText && { onText: heard }) });
      connection.report(true);
      if (reply.status === 401 && isEnded(refusal(reply).error)) onEnded();
      return reply;
    } catch (error) {
      // A stream that breaks off says little of the service: whoever connects again finds out.
      if (!isAnswered && !request.signal?.aborted) connection.report(false);
      throw error;
    }
  };
}

/** A wrong password is 401 as well, and ends nothing. */
const isEnded = (error: string): boolean => error === 'credential_invalid' || error === 'credential_missing';
