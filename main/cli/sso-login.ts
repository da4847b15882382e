import { openSsoFlow, type SsoProof, ssoEnds } from '#engine/session/sso-flow.ts';
import { ApiError } from '#protocol/errors.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failure.ts';

interface SsoLogin {
  readonly serviceUrl: string;
  /** An e-mail address or its domain; asked for in the browser if it is not given. */
  readonly address: string | undefined;
  /** Shows an address of the service in the person's browser. */
  readonly show: (url: string) => Promise<void>;
  readonly timeoutMilliseconds?: number;
}

/**
 * Has a person sign in through their company in the browser, and waits on this machine for what comes back.
 *
 * @throws CommandError if nothing comes in time
 */
export async function ssoInBrowser({ serviceUrl, address, show, timeoutMilliseconds }: SsoLogin): Promise<SsoProof> {
  const flow = await openSsoFlow({ serviceUrl, address, timeoutMilliseconds });
  try {
    await show(flow.url);
    return await flow.proof;
  } catch (error) {
    if (!(error instanceof ApiError) || error.message !== ssoEnds.inTime) throw error;
    throw new CommandError(exitCodes.credential, 'Nobody signed in in the browser in time. Run the command again.', { cause: error });
  } finally {
    flow.close();
  }
}
