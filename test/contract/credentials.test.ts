import { type Dispatcher, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialSpecs } from '#protocol/credentials.ts';
import { type HostedRouteName, hostedRoutes } from '#protocol/hosted/routes.ts';
import type { CredentialKind, Route } from '#protocol/route.ts';
import { newId } from '#service/ids.ts';
import { putGateway } from '#test/support/service/gateways.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';

/** Every endpoint × every kind of credential, from the route table: each takes its own and no other. */

interface Shown {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
}

const kinds = Object.keys(credentialSpecs) as CredentialKind[];
const served = Object.entries(hostedRoutes) as [HostedRouteName, Route][];

const ids = { team_id: '', package_id: newId(), transfer_id: newId() };
let at: TestService;
let credentials: Record<CredentialKind, Shown>;

beforeAll(async () => {
  at = await startTestService({
    limits: {
      refusalsPerAddress: 1_000_000,
      linksPerAddress: 1_000_000,
      signInsPerAddress: 1_000_000,
      passwordResetsPerAddress: 1_000_000,
    },
  });
  ids.team_id = at.teamId;
  const { tokens, db } = at.service.services;
  // Operators' calls take the user token of an operator.
  await db.updateTable('users').set({ is_operator: true }).where('id', '=', at.userId).execute();
  const header = (kind: CredentialKind, value: string): Shown => ({ headers: { [credentialSpecs[kind].header!]: value }, query: '' });
  const packageToken = async (variant: 'write' | 'read' | 'manage') =>
    header(
      `package:${variant}`,
      await tokens.sign('package', {
        packageId: ids.package_id,
        variant,
        tokenId: newId(),
        linkId: variant === 'read' ? newId() : null,
        userId: at.userId,
      }),
    );
  credentials = {
    user: header('user', at.userToken),
    api_key: header('api_key', at.apiKey),
    'package:write': await packageToken('write'),
    'package:read': await packageToken('read'),
    'package:manage': await packageToken('manage'),
    transfer: header('transfer', await tokens.sign('transfer', { transferId: ids.transfer_id, packageId: ids.package_id })),
    'transfer:report': header(
      'transfer:report',
      await tokens.sign('transfer', { transferId: ids.transfer_id, packageId: ids.package_id, taskId: newId() }),
    ),
    access_code: header('access_code', 'code'),
    link: { headers: {}, query: 'secret=secret' },
    gateway: { headers: (await putGateway(at)).headers, query: '' },
    none: { headers: {}, query: '' },
  };
});
afterAll(() => at?.close());

/** Variants of a token: `package:read` is one of `package`. */
const familyOf = (kind: CredentialKind): string => kind.split(':')[0]!;

const send = async (route: Route, { headers, query }: Shown): Promise<number> => {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (ids as Record<string, string>)[name] ?? newId());
  const hasBody = route.body !== undefined;
  const { statusCode, body } = await request(at.url + (query ? `${path}?${query}` : path), {
    method: route.method as Dispatcher.HttpMethod,
    headers: { ...headers, ...(hasBody && { 'content-type': 'application/json' }) },
    ...(hasBody && { body: '{}' }),
  });
  // Some answers are streams without end.
  if ('stream' in route.reply) body.on('error', () => undefined).destroy();
  else await body.dump();
  return statusCode;
};

describe.each(served)('%s', (_, route) => {
  const wrong = kinds.filter((kind) => !route.credentials.includes(kind) && kind !== 'none');

  it.runIf(!route.credentials.includes('none'))('needs a credential', async () => {
    expect(await send(route, credentials.none)).toBe(401);
  });

  it.runIf(!route.credentials.includes('none')).each(wrong)('does not take %s', async (kind) => {
    const status = await send(route, credentials[kind]);
    // A token of another variant is known and not allowed; all else is no credential for this route.
    const sameHeader = route.credentials.some((one) => familyOf(one) === familyOf(kind));
    expect(status).toBe(sameHeader ? 403 : 401);
  });

  it.each(route.credentials.filter((kind) => credentialSpecs[kind].header !== null && kind !== 'access_code'))(
    'does not take a %s that does not hold',
    async (kind) => {
      const { header } = credentialSpecs[kind];
      expect(await send(route, { headers: { [header!]: 'nonsense' }, query: '' })).toBe(401);
    },
  );

  it.each(route.credentials)('takes %s', async (kind) => {
    // What is named does not exist and the body is empty, so the call gets no further than that.
    expect([401, 403]).not.toContain(await send(route, credentials[kind]));
  });
});
