import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import { newId } from '#service/ids.ts';
import type { Ask, Asks } from './ask.ts';

/** The calls of operators, each as one that goes well. `team` is whom it is about, where it is about one. */

const nothing = (): Ask => ({});

export const operatorAsks: Asks = {
  serviceOverview: nothing,
  listOperatorLog: nothing,
  listOperatedTeams: nothing,
  suspendTeam: ({ team }) => ({ params: { team_id: team.id }, body: { reason: 'The invoice of October is open.' } }),
  reactivateTeam: ({ team }) => ({ params: { team_id: team.id } }),
  listFailedJobs: nothing,
  retryFailedJobs: () => ({ body: { kind: 'mail.send' } }),
  listFailedMails: nothing,
  retryFailedMails: () => ({ body: { ids: [newId()] } }),
};

export const isOperators = (name: HostedRouteName): boolean => name in operatorAsks;
