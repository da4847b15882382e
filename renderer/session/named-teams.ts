import { useMemo } from 'react';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import { useSessions } from './queries.ts';
import { serviceName } from './service-address.ts';

export interface NamedTeam {
  readonly id: string;
  readonly name: string;
}

/**
 * The Teams of all sessions without duplicates, with unique names: Teams with the same name also show their service.
 * Ended sessions are included, so that earlier transfers keep their Team's name.
 */
export function namedTeams(sessions: readonly SignedIn[]): NamedTeam[] {
  const all = new Map(sessions.flatMap(({ service_url: service, teams }) => teams.map((team) => [team.id, { ...team, service }] as const)));
  const named = [...all.values()];
  return named.map(({ id, name, service }) => {
    const alike = named.some((other) => other.id !== id && other.name === name);
    return { id, name: alike ? `${name} (${serviceName(service)})` : name };
  });
}

const none: readonly NamedTeam[] = [];

export function useNamedTeams(): readonly NamedTeam[] {
  const { data } = useSessions();
  return useMemo(() => (data ? namedTeams(data) : none), [data]);
}
