import type { HostedClient } from '#client/calls.ts';
import type { NewPasskeyResponse, PasskeyProof } from '#protocol/hosted/mfa.ts';
import { defineCalls } from '../app/api.ts';

export const passkeyCalls = defineCalls({
  createPasskeyChallenge: { method: 'POST', path: '/v1/sessions/passkey/challenge', reply: { status: 200 } },
});

/** Loaded at the first use: most sign-ins need no passkey. */
const webAuthn = () => import('@simplewebauthn/browser');

/** Whether passkeys work here: over TLS or on localhost, and under a name rather than a number. */
export const passkeysWork = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && isSecureContext && !/^(\d+\.){3}\d+$|:/.test(location.hostname);

/** Has the person prove a passkey. Throws `PasskeyRefused` if they do not. */
export async function provePasskey(api: HostedClient<'createPasskeyChallenge'>): Promise<PasskeyProof> {
  const { options } = await api.call('createPasskeyChallenge', {});
  const { startAuthentication } = await webAuthn();
  const proof = await startAuthentication({ optionsJSON: options as unknown as AuthenticationOptions }).catch(refuse);
  return proof as unknown as PasskeyProof;
}

/** Has the browser make a passkey. Throws `PasskeyRefused` if the person does not want to. */
export async function makePasskey(options: Record<string, unknown>): Promise<NewPasskeyResponse> {
  const { startRegistration } = await webAuthn();
  const made = await startRegistration({ optionsJSON: options as unknown as RegistrationOptions }).catch(refuse);
  return made as unknown as NewPasskeyResponse;
}

type WebAuthn = typeof import('@simplewebauthn/browser');
type AuthenticationOptions = Parameters<WebAuthn['startAuthentication']>[0]['optionsJSON'];
type RegistrationOptions = Parameters<WebAuthn['startRegistration']>[0]['optionsJSON'];

/** The person has stopped, no authenticator is there, or it has this passkey already: browsers do not tell pages which. */
export class PasskeyRefused extends Error {
  override readonly name = 'PasskeyRefused';
}

function refuse(error: unknown): never {
  throw new PasskeyRefused('The passkey was not used.', { cause: error });
}
