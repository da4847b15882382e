import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostedRouteName, hostedRoutes } from '#protocol/hosted/routes.ts';
import { asJsonSchema } from '#protocol/json-schema.ts';
import type { Route } from '#protocol/route.ts';
import { newId } from '#service/ids.ts';
import { publicAsks } from '../permissions/public-asks.ts';
import { teamAsks } from '../permissions/team-asks.ts';
import { makeWorld, type Team, type World } from '../permissions/world.ts';
import { type BodyField, bodyFieldsOf, nameOf, withValue } from './body-fields.ts';
import { everything } from './database-digests.ts';
import { subjectOf } from './subject.ts';

/**
 * Every field of a body that names something by its id × an id of another Team's, of something of another kind, and
 * of nothing: refused alike, so that nobody learns what there is elsewhere, the field named, nothing changed. Ids in
 * paths are tried in test/contract/permissions.
 */

interface Foreign {
  /** An id of the other Team's. */
  readonly id: string;
  /** What else the body needs, so that only that id is wrong. */
  readonly around?: Readonly<Record<string, unknown>>;
}

type Make = (world: World) => Promise<Foreign> | Foreign;

/** What a call of the other Team's own makes, by its endpoint. */
const made =
  (endpoint: HostedRouteName, params: Readonly<Record<string, string>> = {}): Make =>
  async (world) => ({ id: await makeAt(world, world.away, endpoint, params) });

async function makeAt(world: World, team: Team, endpoint: HostedRouteName, params: Readonly<Record<string, string>> = {}): Promise<string> {
  const ask = await teamAsks[endpoint]!({ world, team, caller: team.owner, own: true });
  const route: Route = hostedRoutes[endpoint];
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ team_id: team.id, ...ask.params, ...params })[name]!);
  return (await world.make<{ id: string }>(team, route.method, path, ask.body)).id;
}

/** A filter that is wrong on a connection that is right. */
const filterOfConnection: Make = async (world) => {
  const connection = await makeAt(world, world.home, 'createConnection');
  const id = await makeAt(world, world.away, 'createFilter');
  return {
    id,
    around: { configure_cloud_connections: true, cloud_connections: [{ id: connection, target_action: 'transfer', filter_id: id }] },
  };
};
const connectionOfPortal: Make = async (world) => {
  const id = await makeAt(world, world.away, 'createConnection');
  return { id, around: { configure_cloud_connections: true, cloud_connections: [{ id, target_action: 'transfer' }] } };
};

const ofPortal: Readonly<Record<string, Make>> = {
  'access_list[0]': (world) => ({ id: world.away.people.member.userId }),
  teamspace_id: made('createTeamspace'),
  'tag.id': made('createTag'),
  'cloud_connections[0].id': connectionOfPortal,
  'cloud_connections[0].filter_id': filterOfConnection,
  'custom_webhooks[0].id': made('createWebhook'),
};
const member: Make = (world) => ({ id: world.away.people.member.memberId });

/** In a body that is right for the connection of a gateway. */
const ofGateway: Make = async (world) => {
  const around = { provider: 'storage_gateway', authorization: {} };
  return { id: await makeAt(world, world.away, 'createStorageGateway'), around };
};

const table: Partial<Record<HostedRouteName, Readonly<Record<string, Make>>>> = {
  updateUser: { preferred_team_id: (world) => ({ id: world.away.id }) },
  createTeamPackage: { 'tag.id': made('createTag'), 'teamspace.id': made('createTeamspace') },
  updatePackage: { 'tag.id': made('createTag') },
  createTransfer: {
    async cloud_connection_id(world) {
      return { id: await makeAt(world, world.away, 'createConnection'), around: { single_use: undefined } };
    },
  },
  createConnection: { storage_gateway_id: ofGateway },
  updateConnection: { storage_gateway_id: ofGateway },
  createPortal: ofPortal,
  updatePortal: ofPortal,
  createForm: { form_template_id: made('createFormTemplate') },
  createTeamspace: { 'member_ids[0]': member },
  addTeamspaceMembers: { 'member_ids[0]': member },
  createPortalPackage: {
    // Of another Portal: somebody else's answers are not to be had with a package of one's own.
    async form_data_id(world) {
      const ask = await publicAsks.getPortal!({ world, team: world.away });
      return {
        id: (await world.make<{ id: string }>(world.away, 'POST', `/v1/portals/${ask.params!['portal_id']}/form/responses`, {})).id,
      };
    },
  },
};

/** Ids that are not of something in the database, or not of the caller's to choose, with where they are tried. */
const elsewhere: ReadonlySet<string> = new Set([
  // The storage's own: test/integration/service/files.test.ts.
  ...['createChunkBlueprints upload_id', 'finalizeFile file_extras.upload_id', 'finalizeFiles files[0].file_extras.upload_id'],
  'recordFiles files[0].upload_id',
  // Each file's result stands in the answer: below.
  'finalizeFiles files[0].file_id',
  'downloadFiles file_ids',
  'downloadFiles file_ids[0]',
  // The provider's folders.
  ...['createConnection target_directory_id', 'createConnection source_directory_ids', 'createConnection source_directory_ids[0]'],
  ...['updateConnection target_directory_id', 'updateConnection source_directory_ids', 'updateConnection source_directory_ids[0]'],
  ...['createTransfer single_use.target_directory_id', 'createTransfer files[0].id'],
  // A gateway's own: test/integration/service/gateways.test.ts.
  ...['pollStorageGateway mounts[0].cloud_connection_id', 'pollStorageGateway renew', 'pollStorageGateway renew[0]'],
  ...['answerGatewayTask items[0].id', 'reportTransfer task_id'],
  // The provider's, and the Team of a sign-in that has begun: test/integration/service/sso-sign-in.test.ts.
  ...['setSso client_id', 'finishSso team_id'],
  // Of the service, and its operators see all: test/integration/service/operator-work.test.ts.
  ...['retryFailedJobs ids', 'retryFailedJobs ids[0]', 'retryFailedMails ids', 'retryFailedMails ids[0]'],
  // The word of a page, which is kept as it is and looks nothing up: an app's own calls refuse what is not of its package.
  ...['putHandoverPart file_ids[0]', 'putHandoverPart files[0].file_id', 'putHandoverPart files[0].upload_id'],
  // The authenticator's own: test/integration/service/mfa.test.ts.
  ...['addPasskey response.id', 'changeEmail passkey.id', 'changePassword passkey.id', 'createPasskeySession passkey.id'],
  ...['createRecoveryCodes passkey.id', 'removePasskey passkey.id', 'removeTotp passkey.id', 'startPasskey passkey.id'],
  'startTotp passkey.id',
]);

const namesAnId = ({ path, schema }: BodyField): boolean => {
  const last = path.findLast((step) => typeof step === 'string');
  return schema.type === 'string' && (/(^|_)ids?$/.test(String(last)) || last === 'access_list');
};

const routes = (Object.entries(hostedRoutes) as [HostedRouteName, Route][]).filter(([, route]) => route.body);

it('every field that refers to something by its id is covered', () => {
  const all = routes.flatMap(([name, route]) =>
    bodyFieldsOf(route)
      .filter(namesAnId)
      .map((place) => `${name} ${nameOf(place)}`),
  );
  const tried = Object.entries(table).flatMap(([name, fields]) => Object.keys(fields).map((field) => `${name} ${field}`));
  expect(all.filter((one) => !elsewhere.has(one)).toSorted()).toEqual(tried.toSorted());
});

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.close());

const cases = routes.flatMap(([name, route]) => Object.entries(table[name] ?? {}).map(([field, make]) => ({ name, route, field, make })));

describe.each(cases)('$field of $name', ({ name, route, field, make }) => {
  it('is refused with an id of another Team, of another kind, or of nothing', async () => {
    const place = bodyFieldsOf(route).find((one) => nameOf(one) === field)!;
    const foreign = await make(world);
    const subject = await subjectOf(world, name, route);
    const before = await everything(world);
    const answers: unknown[] = [];
    for (const id of [foreign.id, newId(), world.home.people.guest.keyId, 'not-an-id']) {
      const body = withValue({ ...(subject.body as object), ...foreign.around }, asJsonSchema(route.body!), place.path, id);
      const { status, body: answer } = await world.at.call<{ message: string }>(route.method, subject.path, {
        headers: subject.headers,
        body,
      });
      expect([400, 404], `${status} ${JSON.stringify(answer)}`).toContain(status);
      expect(answer.message).toContain(field.split(/[.[]/)[0]!);
      expect(answer.message).not.toContain(id);
      answers.push([status, answer]);
    }
    // Whoever guesses learns nothing.
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await everything(world)).toEqual(before);
  });
});

it('a file of another package is not found in this one, in a batch too', async () => {
  const mine = await subjectOf(world, 'finalizeFiles', hostedRoutes.finalizeFiles);
  const other = await subjectOf(world, 'finalizeFiles', hostedRoutes.finalizeFiles);
  const before = await everything(world);
  const { status, body } = await world.at.call('POST', mine.path, { headers: mine.headers, body: other.body });
  expect(status).toBe(200);
  expect(body).toMatchObject({ files: [{ error: { message: expect.stringContaining('no file') } }] });
  expect(await everything(world)).toEqual(before);
});

it('the same answer is given for such a file in a batch of downloads, for an unknown id and for a text that is no id', async () => {
  const mine = await subjectOf(world, 'downloadFiles', hostedRoutes.downloadFiles);
  const other = await subjectOf(world, 'downloadFiles', hostedRoutes.downloadFiles);
  const foreign = (other.body as { file_ids: string[] }).file_ids[0]!;
  const body = { file_ids: [foreign, newId(), 'not-an-id'] };
  const answer = await world.at.call<{ files: { error: unknown }[] }>('POST', mine.path, { headers: mine.headers, body });
  expect(answer.status).toBe(200);
  const [first, ...others] = answer.body.files.map(({ error }) => error);
  expect(first).toMatchObject({ message: expect.stringContaining('no file') });
  for (const one of others) expect(one).toEqual(first);
});
