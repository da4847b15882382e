import type { OutboundHttp } from '../http/outbound.ts';

/** How the service reaches the providers of single sign-on. */
export interface SsoHttp extends Pick<OutboundHttp, 'exchange'> {
  /** Whether providers without TLS are allowed: only where the operator allows private networks. */
  readonly allowsPlainHttp: boolean;
}

/**
 * The TXT records of a name, each as one text; empty where there are none. Rejects where it cannot be known now, which
 * says nothing about the records.
 */
export type TxtResolver = (name: string) => Promise<readonly string[]>;
