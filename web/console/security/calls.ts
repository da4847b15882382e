import { defineCalls } from '../app/api.ts';
import { passkeyCalls } from './passkey.ts';

export const securityCalls = defineCalls({
  ...passkeyCalls,
  getMfa: { method: 'GET', path: '/v1/mfa', reply: { status: 200 } },
  startTotp: { method: 'POST', path: '/v1/mfa/totp', reply: { status: 200 } },
  confirmTotp: { method: 'POST', path: '/v1/mfa/totp/confirm', reply: { status: 200 } },
  removeTotp: { method: 'POST', path: '/v1/mfa/totp/remove', reply: { status: 204 } },
  createRecoveryCodes: { method: 'POST', path: '/v1/mfa/recovery_codes', reply: { status: 200 } },
  startPasskey: { method: 'POST', path: '/v1/mfa/passkeys/challenge', reply: { status: 200 } },
  addPasskey: { method: 'POST', path: '/v1/mfa/passkeys', reply: { status: 200 } },
  renamePasskey: { method: 'PUT', path: '/v1/mfa/passkeys/{passkey_id}', reply: { status: 200 } },
  removePasskey: { method: 'POST', path: '/v1/mfa/passkeys/{passkey_id}/remove', reply: { status: 204 } },
});

export const mfaKey = ['mfa'] as const;
