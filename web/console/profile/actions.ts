import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Language } from '#ui/locale.ts';
import { accountKey, useAccount } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';

const calls = defineCalls({
  currentUser: { method: 'GET', path: '/v1/users/me', reply: { status: 200 } },
  updateUser: { method: 'PUT', path: '/v1/users/{user_id}', reply: { status: 200 } },
  changeEmail: { method: 'PUT', path: '/v1/users/{user_id}/email', reply: { status: 200 } },
  getEmail: { method: 'GET', path: '/v1/users/{user_id}/email', reply: { status: 200 } },
  resendEmailChange: { method: 'POST', path: '/v1/users/{user_id}/email/resend', reply: { status: 202 } },
  cancelEmailChange: { method: 'DELETE', path: '/v1/users/{user_id}/email/pending', reply: { status: 204 } },
  changePassword: { method: 'POST', path: '/v1/users/{user_id}/password', reply: { status: 204 } },
  createSession: { method: 'POST', path: '/v1/sessions', reply: { status: 200 } },
});

export const emailKey = ['account', 'email'] as const;

interface Person {
  readonly name: string;
  readonly time_zone: string;
  readonly language: Language;
  readonly preferred_team_id?: string;
}

interface SecondFactor {
  readonly code?: string;
}

/** What people change of their own accounts. */
export function useProfileActions() {
  const api = useApi(calls);
  const cache = useQueryClient();
  const { user } = useAccount();
  return useMemo(() => {
    const params = { user_id: user.id };
    const renew = async () => cache.setQueryData(accountKey, await api.call('currentUser', {}));
    /**
     * A changed password has ended every session, this one too; what was just proven begins another. Where that
     * takes more than a password, the next call leads to the sign-in.
     */
    const signInAgain = async (email: string, password: string): Promise<void> => {
      await api.call('createSession', { body: { email, password } }).catch(() => undefined);
      await cache.invalidateQueries();
    };
    return {
      async save(person: Person): Promise<void> {
        await api.call('updateUser', { params, body: person });
        await renew();
      },
      email: (signal: AbortSignal) => api.call('getEmail', { params, signal }),
      /** Nothing changes before the new address is confirmed by its mail. */
      async changeEmail(email: string, password: string, factor: SecondFactor): Promise<void> {
        await api.call('changeEmail', { params, body: { email, password, ...factor } });
        await cache.invalidateQueries({ queryKey: emailKey });
      },
      async resendEmailChange(): Promise<void> {
        await api.call('resendEmailChange', { params });
        await cache.invalidateQueries({ queryKey: emailKey });
      },
      async cancelEmailChange(): Promise<void> {
        await api.call('cancelEmailChange', { params });
        await cache.invalidateQueries({ queryKey: emailKey });
      },
      async changePassword(current: string, password: string, factor: SecondFactor): Promise<void> {
        await api.call('changePassword', { params, body: { current_password: current, password, ...factor } });
        await signInAgain(user.email, password);
      },
    };
  }, [api, cache, user.id, user.email]);
}
