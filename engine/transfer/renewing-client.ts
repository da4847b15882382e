import { refusesCredential } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import { type JobPorts, packageClient } from './job.ts';

interface RenewingPorts {
  readonly serviceUrl: string;
  /** The token that is used now. */
  readonly token: () => string | undefined;
  /** Stores another token, in place of one that the service refuses. Throws `cause` if there is none. */
  readonly renew: (cause: unknown) => Promise<void>;
}

/** A client whose package token is replaced once the service refuses it; calls that were refused are repeated with the new one. */
export function renewingClient(jobs: Pick<JobPorts, 'transport'>, { serviceUrl, token, renew }: RenewingPorts): HostedClient {
  let renewing: Promise<void> | null = null;
  const current = (): HostedClient => packageClient(jobs, serviceUrl, token());
  return {
    baseUrl: serviceUrl,
    as: (credential) => current().as(credential),
    async call(name, request) {
      const used = token();
      try {
        return await current().call(name, request);
      } catch (cause) {
        if (!refusesCredential(cause)) throw cause;
        if (token() === used) {
          renewing ??= renew(cause).finally(() => {
            renewing = null;
          });
          await renewing;
        }
        return current().call(name, request);
      }
    },
  };
}
