import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import type { Ask, Asks } from './ask.ts';

/** The calls of operators, each as one that goes well. `team` is whom it is about, where it is about one. */

const nothing = (): Ask => ({});

export const operatorAsks: Asks = {
  serviceOverview: nothing,
  listOperatorLog: nothing,
};

export const isOperators = (name: HostedRouteName): boolean => name in operatorAsks;
