import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { ApiError } from '#protocol/errors.ts';
import type { NewPasskeyResponse, PasskeyProof } from '#protocol/hosted/mfa.ts';
import type { TokenClaims } from '../credentials/tokens.ts';
import type { Services } from '../handler.ts';
import { newChallenge, readChallenge, useChallenge } from './challenge.ts';

type Parts = Pick<Services, 'db' | 'tokens' | 'urls' | 'now'>;

/** Loaded at the first use: reading certificates of authenticators takes a tenth of the service's start. */
const webAuthn = () => import('@simplewebauthn/server');

/** EdDSA, ES256, RS256 of COSE: what all authenticators have one of. */
const algorithms = [-8, -7, -257] as const;

/** A passkey belongs to the host of the service's public address, and signs for its origin only: a copied page gets nothing. */
function relyingParty({ urls }: Parts): { readonly id: string; readonly origin: string } {
  const { hostname, origin } = new URL(urls.base);
  return { id: hostname, origin };
}

interface PasskeyUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** The options by which a user's browser makes a passkey. It is one that the browser finds by itself, and that asks for its owner. */
export async function newPasskeyOptions(parts: Parts, user: PasskeyUser): Promise<Record<string, unknown>> {
  const { generateRegistrationOptions } = await webAuthn();
  const rp = relyingParty(parts);
  const existing = await parts.db
    .selectFrom('passkeys')
    .select(['credential_id as id', 'transports'])
    .where('user_id', '=', user.id)
    .execute();
  const options = await generateRegistrationOptions({
    rpName: `Longshore ${rp.id}`,
    rpID: rp.id,
    userName: user.email,
    userDisplayName: user.name,
    userID: new TextEncoder().encode(user.id),
    challenge: await newChallenge(parts, { purpose: 'add', userId: user.id }),
    supportedAlgorithmIDs: [...algorithms],
    attestationType: 'none',
    excludeCredentials: existing,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { ...options };
}

/** The passkey that a browser has made by these options. Errors: `mfa_wrong`. */
export async function readNewPasskey(parts: Parts, userId: string, response: NewPasskeyResponse) {
  const { verifyRegistrationResponse } = await webAuthn();
  const rp = relyingParty(parts);
  let challenge: TokenClaims['challenge'] | null = null;
  const verified = await verifyRegistrationResponse({
    response: { clientExtensionResults: {}, ...response } as RegistrationResponseJSON,
    expectedChallenge: async (presented) => {
      challenge = await readChallenge(parts, presented);
      return challenge?.purpose === 'add' && challenge.userId === userId;
    },
    expectedOrigin: rp.origin,
    expectedRPID: rp.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: [...algorithms],
  }).catch(refused);
  if (!verified?.verified || challenge === null) throw new ApiError('mfa_wrong');
  await useChallenge(parts, challenge);
  const { credential } = verified.registrationInfo;
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: [...(response.response.transports ?? [])],
  };
}

/** The options by which a browser proves any of a user's passkeys; the browser knows which there are. */
export async function passkeyOptions(parts: Parts): Promise<Record<string, unknown>> {
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(parts).id,
    challenge: await newChallenge(parts, { purpose: 'prove', userId: null }),
    userVerification: 'required',
  });
  return { ...options };
}

/**
 * The user whose passkey was proved. A challenge is good once, so a recorded proof is refused. Errors: `mfa_wrong`.
 */
export async function provePasskey(parts: Parts, proof: PasskeyProof): Promise<{ readonly userId: string }> {
  const passkey = await parts.db.selectFrom('passkeys').selectAll().where('credential_id', '=', proof.id).executeTakeFirst();
  if (!passkey) throw new ApiError('mfa_wrong');
  const { verifyAuthenticationResponse } = await webAuthn();
  const rp = relyingParty(parts);
  let challenge: TokenClaims['challenge'] | null = null;
  const verified = await verifyAuthenticationResponse({
    response: { clientExtensionResults: {}, ...proof } as AuthenticationResponseJSON,
    expectedChallenge: async (presented) => {
      challenge = await readChallenge(parts, presented);
      return challenge?.purpose === 'prove';
    },
    expectedOrigin: rp.origin,
    expectedRPID: rp.id,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: passkey.counter,
      transports: passkey.transports,
    },
    requireUserVerification: true,
  }).catch(refused);
  if (!verified?.verified || challenge === null) throw new ApiError('mfa_wrong');
  await useChallenge(parts, challenge);
  await parts.db
    .updateTable('passkeys')
    .set({ counter: verified.authenticationInfo.newCounter, last_used_at: parts.now() })
    .where('id', '=', passkey.id)
    .execute();
  return { userId: passkey.user_id };
}

/** The library throws an `Error` for each thing that does not fit: another origin, challenge or signature, an earlier count. */
function refused(error: unknown): null {
  if (error instanceof Error) return null;
  throw error;
}
