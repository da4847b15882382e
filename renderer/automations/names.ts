import { useQueries } from '@tanstack/react-query';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { useApp } from '../app/context.ts';
import { useNamedTeams } from '../session/named-teams.ts';
import { useSessions } from '../session/queries.ts';
import type { AutomationNames } from './describe-automation.ts';

/** The names of the Teams and Portals of these automations. A Portal's is asked once; one that is not told stays unnamed. */
export function useAutomationNames(automations: readonly Automation[]): AutomationNames {
  const { client } = useApp();
  const teams = useNamedTeams();
  const { data: sessions } = useSessions();
  const services = new Map(sessions?.flatMap((session) => session.teams.map(({ id }) => [id, session.service_url] as const)));
  const asked = new Map(
    automations.flatMap((one) => {
      if (!('portal_id' in one) || one.portal_id === undefined) return [];
      const service = 'team_id' in one ? services.get(one.team_id) : one.service_url;
      return [[one.portal_id, service] as const];
    }),
  );
  const answers = useQueries({
    queries: [...asked].map(([id, service]) => ({
      queryKey: ['portal-name', service ?? '', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.call('previewPortal', { body: { portal_id: id, ...(service === undefined ? {} : { service_url: service }) }, signal }),
      enabled: sessions !== undefined,
      retry: false,
    })),
    combine: (results) => results.map(({ data }) => data?.name),
  });
  const teamNames = new Map(teams.map(({ id, name }) => [id, name]));
  const portalNames = new Map([...asked.keys()].map((id, index) => [id, answers[index]]));
  return { team: (id) => teamNames.get(id), portal: (id) => portalNames.get(id) };
}
