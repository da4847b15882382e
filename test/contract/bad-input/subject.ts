import { credentialSpecs } from '#protocol/credentials.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import type { Route } from '#protocol/route.ts';
import type { Ask } from '../permissions/ask.ts';
import { gatewayAsks } from '../permissions/gateway-asks.ts';
import { operatorAsks } from '../permissions/operator-asks.ts';
import { packageAsks, putLink } from '../permissions/package-asks.ts';
import { accessCode, publicAsks } from '../permissions/public-asks.ts';
import { teamAsks } from '../permissions/team-asks.ts';
import type { World } from '../permissions/world.ts';

/** A call that would go well: what it is about is there, and its caller may make it. */
export interface Subject {
  readonly headers: Readonly<Record<string, string>>;
  /** With its parameters filled in. */
  readonly path: string;
  readonly query: string | undefined;
  readonly body: unknown;
}

/** Makes what a call is about, in the home Team, for its owner. */
export async function subjectOf(world: World, name: HostedRouteName, route: Route): Promise<Subject> {
  const team = world.home;
  const { ask, headers, params = {} } = await asked();
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
    const value = { team_id: team.id, ...params, ...ask.params }[param];
    if (value === undefined) throw new Error(`${name} is asked without its ${param}`);
    return value;
  });
  return { headers, path, query: ask.query, body: ask.body };

  async function asked(): Promise<{ ask: Ask; headers: Readonly<Record<string, string>>; params?: Readonly<Record<string, string>> }> {
    const ofTeam = teamAsks[name];
    if (ofTeam) {
      const ask = await ofTeam({ world, team, caller: team.people.owner, own: true });
      return { ask, headers: { ...ask.headers, [credentialSpecs.user.header]: team.people.owner.token } };
    }
    const ofOperator = operatorAsks[name];
    if (ofOperator) {
      const ask = await ofOperator({ world, team, caller: team.people.owner, own: true });
      return { ask, headers: { ...ask.headers, [credentialSpecs.user.header]: world.operator.token } };
    }
    const ofPackage = packageAsks[name];
    if (ofPackage) {
      const fields = { name: 'P', description: '', recipients: [] };
      const made = await world.make<Package>(team, 'POST', `/v1/teams/${team.id}/packages`, fields);
      const ask = await ofPackage({ world, team, made });
      const token = route.credentials.includes('package:manage')
        ? made.access_token
        : await world.sign({ packageId: made.id, variant: 'read', linkId: await putLink({ world, made }) });
      return { ask, headers: { 'X-Package-Token': token }, params: { package_id: made.id } };
    }
    const ofGateway = gatewayAsks[name];
    if (ofGateway) {
      const { headers, ...ask } = await ofGateway({ world, team });
      return { ask, headers };
    }
    const ask = await publicAsks[name]!({ world, team });
    const takesCode = route.credentials.includes('access_code');
    return { ask, headers: takesCode ? { [credentialSpecs.access_code.header]: encodeURIComponent(accessCode) } : (ask.headers ?? {}) };
  }
}
