import { defineCalls } from '../app/api.ts';

export const ssoSignInCalls = defineCalls({
  startSso: { method: 'POST', path: '/v1/sso/start', reply: { status: 200 } },
  finishSso: { method: 'POST', path: '/v1/sso/finish', reply: { status: 200 } },
  currentUser: { method: 'GET', path: '/v1/users/me', reply: { status: 200 } },
});

/** Leaves the console for the provider, or for a program on this machine. */
export const leaveFor = (address: string): void => location.assign(address);
