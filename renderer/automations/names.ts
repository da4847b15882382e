import { useQueries } from '@tanstack/react-query';
import type { Automation } from '#protocol/agent/automations/automation.ts';
import { useApp } from '../app/context.ts';
import { useNamedTeams } from '../session/named-teams.ts';
import type { AutomationNames } from './describe-automation.ts';

/** The names of the Teams and Portals of these automations. Each Team's Portals are asked for once; what is not told stays unnamed. */
export function useAutomationNames(automations: readonly Automation[]): AutomationNames {
  const { client } = useApp();
  const teams = useNamedTeams();
  const asked = [...new Set(automations.flatMap((one) => (one.kind === 'portal_download' ? [one.team_id] : [])))];
  const portals = useQueries({
    queries: asked.map((teamId) => ({
      queryKey: ['team-portals', teamId],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.call('listTeamPortals', { params: { team_id: teamId }, signal }),
      retry: false,
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return {
    team: (id) => teams.find((team) => team.id === id)?.name,
    portal: (id) => portals.find((portal) => portal.id === id)?.name,
  };
}
