import { newId } from '#service/ids.ts';
import { hashRecoveryCode } from '#service/mfa/recovery-codes.ts';
import { totpPurpose } from '#service/mfa/second-factor.ts';
import { newTotpSecret, totpCode } from '#service/mfa/totp.ts';
import { softwarePasskey } from '#test/support/service/software-passkey.ts';
import type { AskMaker, Asks, Scene } from './ask.ts';
import { type Person, password, type World } from './world.ts';

/** The calls about one's own second factors. */

const whose = ({ own, caller, team }: Scene): Person => (own ? caller : team.owner);

/** A passkey of somebody whom sign-in asks for none. */
async function passkey(scene: Scene): Promise<string> {
  const { db, now } = scene.world.at.service.services;
  const id = newId();
  const key = { credential_id: id, public_key: Buffer.of(0), counter: 0, transports: [], name: 'Laptop' };
  await db
    .insertInto('passkeys')
    .values({ id, user_id: whose(scene).userId, ...key, created_at: now() })
    .execute();
  return id;
}

async function putTotp({ world, caller }: Scene, column: 'sealed' | 'pending_sealed'): Promise<string> {
  const { db, seal } = world.at.service.services;
  const secret = newTotpSecret();
  const sealed = seal.seal(totpPurpose(caller.userId), secret);
  const until = { pending_until: new Date(Date.now() + 60_000) };
  await db.deleteFrom('totp_secrets').where('user_id', '=', caller.userId).execute();
  await db
    .insertInto('totp_secrets')
    .values({ user_id: caller.userId, [column]: sealed, ...(column === 'pending_sealed' && until) })
    .execute();
  return secret;
}

/** Takes all second factors from somebody: an earlier call may have left them one. */
export async function withoutFactors({ at }: World, userId: string): Promise<void> {
  const { db } = at.service.services;
  for (const table of ['totp_secrets', 'passkeys', 'recovery_codes'] as const) {
    await db.deleteFrom(table).where('user_id', '=', userId).execute();
  }
  await db.updateTable('users').set({ mfa_since: null }).where('id', '=', userId).execute();
}

/** A call by somebody without any second factor, but what it makes itself. */
const fresh =
  (make: AskMaker): AskMaker =>
  async (scene) => {
    await withoutFactors(scene.world, scene.caller.userId);
    return await make(scene);
  };

/** The options of a call, as its answer has them. */
export async function optionsOf(
  world: World,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Record<string, unknown>> {
  return (await world.at.call<{ options: Record<string, unknown> }>('POST', path, { headers, body })).body.options;
}

const recoveryCode = 'abcd-efgh-jkmn-pqrs';

export const mfaAsks: Asks = {
  getMfa: () => ({}),
  startTotp: fresh(() => ({ body: { password } })),
  confirmTotp: fresh(async (scene) => ({ body: { code: totpCode(await putTotp(scene, 'pending_sealed'), new Date()) } })),
  removeTotp: fresh(async (scene) => {
    await putTotp(scene, 'sealed');
    return { body: { password } };
  }),
  createRecoveryCodes: fresh(async ({ world, caller: { userId } }) => {
    const { db } = world.at.service.services;
    await db.updateTable('users').set({ mfa_since: new Date() }).where('id', '=', userId).execute();
    await db
      .insertInto('recovery_codes')
      .values({ user_id: userId, code_hash: hashRecoveryCode(recoveryCode) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return { body: { password, code: recoveryCode } };
  }),
  startPasskey: fresh(() => ({ body: { password } })),
  addPasskey: fresh(async ({ world, caller }) => {
    const options = await optionsOf(world, '/v1/mfa/passkeys/challenge', { 'x-user-token': caller.token }, { password });
    return { body: { name: 'Laptop', response: softwarePasskey().create(options, world.at.url) } };
  }),
  renamePasskey: async (scene) => ({ params: { passkey_id: await passkey(scene) }, body: { name: 'Laptop' } }),
  removePasskey: fresh(async (scene) => ({ params: { passkey_id: await passkey(scene) }, body: { password } })),
};

/** Calls after which sign-in may ask for a second factor. */
export const mfaTakesFromPeople = ['confirmTotp', 'removeTotp', 'createRecoveryCodes', 'addPasskey', 'removePasskey'] as const;
