import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import { newId } from '#service/ids.ts';
import { addTeam } from '#test/support/service/users.ts';
import type { Ask, Asks } from './ask.ts';

/** The calls of operators, each as one that goes well. What is about a Team has one of its own, as the others need theirs. */

const nothing = (): Ask => ({});

export const operatorAsks: Asks = {
  serviceOverview: nothing,
  listOperatorLog: nothing,
  listOperatedTeams: nothing,
  suspendTeam: async ({ world }) => ({
    params: { team_id: await addTeam(world.at, 'Operated') },
    body: { reason: 'The invoice of October is open.' },
  }),
  setTeamQuotas: async ({ world }) => ({
    params: { team_id: await addTeam(world.at, 'Operated') },
    body: { storage: 5_000_000_000_000, traffic: null },
  }),
  reactivateTeam: async ({ world }) => ({ params: { team_id: await addTeam(world.at, 'Operated') } }),
  listFailedJobs: nothing,
  retryFailedJobs: () => ({ body: { kind: 'mail.send' } }),
  listIntegrityFindings: nothing,
  listFailedMails: nothing,
  retryFailedMails: () => ({ body: { ids: [newId()] } }),
};

export const isOperators = (name: HostedRouteName): boolean => name in operatorAsks;
