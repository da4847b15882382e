import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Filter, FilterRule } from '#protocol/hosted/filters.ts';
import type { Portal } from '#protocol/hosted/portals.ts';
import { limits } from '#protocol/limits.ts';
import { compileFilter } from '#service/filters/match.ts';
import { newId } from '#service/ids.ts';
import { newPortal } from '#test/support/service/portals.ts';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { addTeam, addUser } from '#test/support/service/users.ts';

let t: TestService;
let key: Record<string, string>;
beforeAll(async () => {
  t = await startTestService();
  key = { 'x-api-key': t.apiKey };
});
afterAll(async () => {
  await t?.close();
});

const rules = (...values: string[]): FilterRule[] => [{ action: 'include', criterion: 'file_name', operator: 'regex_match', values }];
const create = (body: unknown, headers = key) =>
  t.call<Filter & { message: string }>('POST', `/v1/teams/${t.teamId}/filters`, { headers, body });
const read = (id: string, headers = key) => t.call<Filter>('GET', `/v1/filters/${id}`, { headers });
const update = (id: string, body: unknown, headers = key) =>
  t.call<Filter & { message: string }>('PUT', `/v1/filters/${id}`, { headers, body });
const remove = (id: string, headers = key) => t.call<{ message: string }>('DELETE', `/v1/filters/${id}`, { headers });
const made = async () => (await create({ name: 'Originals', rules: rules('\\.mov$') })).body;

describe('filters', () => {
  it('are made, read, changed and deleted', async () => {
    const created = await create({ name: 'Originals', rules: rules('\\.(mov|mxf)$'), colour: 'red' });
    expect(created).toMatchObject({ status: 201, body: { name: 'Originals', rules: rules('\\.(mov|mxf)$') } });
    expect(Object.keys(created.body).sort()).toEqual(['created_at', 'id', 'name', 'rules', 'updated_at']);
    const { id } = created.body;
    expect(await read(id)).toMatchObject({ status: 200, body: created.body });

    const exclude = [{ ...rules('^\\._')[0]!, action: 'exclude' as const }];
    expect(await update(id, { rules: exclude })).toMatchObject({ status: 200, body: { name: 'Originals', rules: exclude } });
    expect(await update(id, { name: 'No shadows', rules: exclude })).toMatchObject({ status: 200, body: { name: 'No shadows' } });
    expect((await read(id)).body).toMatchObject({ name: 'No shadows', rules: exclude });

    expect((await remove(id)).status).toBe(204);
    for (const answer of [await read(id), await update(id, { rules: exclude }), await remove(id)]) expect(answer.status).toBe(404);
  });

  it('are not changed over what somebody else has changed since', async () => {
    const { id, updated_at: readAt } = await made();
    const { updated_at: now } = (await update(id, { rules: rules('\\.mxf$'), expected_updated_at: readAt })).body;
    const late = await update(id, { name: 'Late', rules: rules('\\.mp4$'), expected_updated_at: readAt });
    expect(late).toMatchObject({ status: 409, body: { message: expect.stringContaining('The filter was changed meanwhile') } });
    expect((await read(id)).body).toMatchObject({ name: 'Originals', rules: rules('\\.mxf$'), updated_at: now });
    expect(await update(id, { name: 'In time', rules: rules('\\.mp4$'), expected_updated_at: now })).toMatchObject({ status: 200 });
  });

  it('come back as they were sent, and match so', async () => {
    const values = fc.array(
      fc.constantFrom('a', '(?i)\\.mov$', '^[^.]+$', 'ü', '"', '\\\\', '\\x{1F600}', '😀{2,3}', '\\Q*.*\\E', '^(a*)*$', "'; --"),
      { minLength: 1, maxLength: 5 },
    );
    const action = fc.constantFrom('include', 'exclude');
    await fc.assert(
      fc.asyncProperty(action, values, async (action, values) => {
        const sent = [{ ...rules(...values)[0]!, action }];
        const { body } = await create({ name: 'Any', rules: sent });
        const kept = (await read(body.id)).body.rules;
        expect(kept).toEqual(sent);
        for (const name of ['a.mov', 'A.MOV', 'ü', '😀😀', '*.*', '']) {
          expect(compileFilter(kept)(name)).toBe(compileFilter(sent)(name));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('name what is wrong with them, and change nothing', async () => {
    const filter = await made();
    const wrong: [body: Record<string, unknown>, detail: string][] = [
      [{ rules: [] }, 'The field rules must not be empty.'],
      [{ rules: rules() }, 'The field rules[0].values must not be empty.'],
      [{ rules: rules('') }, 'The field rules[0].values[0] must not be empty.'],
      [{ rules: rules('x'.repeat(limits.filterPatternLength + 1)) }, 'rules[0].values[0] must have at most 1000 characters'],
      [{ rules: Array.from({ length: 21 }, () => rules('a')[0]) }, 'The field rules must have at most 20 entries.'],
      [{ rules: [...rules('a'), ...rules('b')] }, 'rules[1].criterion: another rule has file_name too'],
      [{ rules: [{ ...rules('a')[0], criterion: 'size' }] }, 'rules[0].criterion must be one of file_name'],
      [{ rules: [{ ...rules('a')[0], operator: 'glob' }] }, 'rules[0].operator must be one of regex_match'],
      [{ rules: [{ ...rules('a')[0], action: 'delete' }] }, 'rules[0].action must be one of include, exclude'],
      [
        { rules: rules('fine', 'a(?=b)') },
        'rules[0].values[1] is not a regular expression that can be used: at character 2 ((?=), look-ahead',
      ],
      [{ rules: rules('(a)\\1') }, 'at character 4 (\\1), backreferences are not supported'],
      [{ rules: rules('a{1000}'.repeat(142)) }, 'rules[0].values[0] makes the filter too large'],
      [{ rules: rules('a\0') }, 'rules[0].values[0] must not contain NUL characters'],
      [{ rules: rules('a'), name: '' }, 'The field name must not be empty.'],
      [{ rules: rules('a'), name: 7 }, 'The field name must be of type string.'],
      [{ rules: rules('a'), name: 'a\0b' }, 'NUL'],
      [{}, 'The field rules is missing.'],
    ];
    for (const [body, detail] of wrong) {
      for (const answer of [await create({ name: 'Wrong', ...body }), await update(filter.id, body)]) {
        expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(detail)]);
      }
    }
    expect((await read(filter.id)).body).toEqual(filter);
    expect((await create({ rules: rules('a') })).body.message).toBe('The field name is missing.');
  });

  it('are listed by name, with the number of Portals that use them', async () => {
    const { teamId } = t;
    const names = ['zebra', 'Äpfel', 'Apples', 'bananas'];
    for (const name of names) await create({ name: `list ${name}`, rules: rules('a') });
    const answer = await t.call<(Filter & { portals: number })[]>('GET', `/v1/teams/${teamId}/filters`, { headers: key });
    const mine = answer.body.filter(({ name }) => name.startsWith('list '));
    expect(mine.map(({ name, portals }) => [name.slice(5), portals])).toEqual([
      ['Apples', 0],
      ['bananas', 0],
      ['zebra', 0],
      ['Äpfel', 0],
    ]);
    expect(mine[0]!.rules).toEqual(rules('a'));
  });

  it('can be tried on names before they are saved', async () => {
    const test = (body: unknown) =>
      t.call<{ records: { name: string; goes: boolean }[]; message: string }>('POST', `/v1/teams/${t.teamId}/filters/test`, {
        headers: key,
        body,
      });
    const names = ['A001.mov', 'mov/notes.txt', 'cards/day 1/B.MOV', 'u\u0308.mov', '<img src=x>.mov'];
    const goes = async (tried: FilterRule[]) => (await test({ rules: tried, names })).body.records;
    const expected = [true, false, false, true, true];
    expect(await goes(rules('^[^/]*\\.mov$'))).toEqual(names.map((name, at) => ({ name, goes: expected[at] })));
    const exclude = [{ ...rules('ü')[0]!, action: 'exclude' as const }];
    expect((await goes(exclude)).map((one) => one.goes)).toEqual([true, true, true, false, true]);
    expect(await test({ rules: rules('(?=a)'), names: [] })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('rules[0].values[0]') },
    });
    const many = Array.from({ length: limits.filterTestNames + 1 }, () => 'a');
    expect((await test({ rules: rules('a'), names: many })).status).toBe(400);
    // Rules and names that would take a minute.
    const slow = await test({ rules: rules('(.*[ab]){400}[yz]$'), names: Array.from({ length: 500 }, () => 'a'.repeat(200)) });
    expect(slow).toMatchObject({ status: 400, body: { message: expect.stringContaining('The field names has too many') } });
  });

  it('are kept while a Portal uses them, and named with it', async () => {
    const { id } = await made();
    const connection = await t.call<{ id: string }>('POST', `/v1/teams/${t.teamId}/cloud_connections`, {
      headers: key,
      body: { provider: 'postlab', authorization: { team_id: 'x' } },
    });
    const attach = {
      configure_cloud_connections: true,
      cloud_connections: [{ id: connection.body.id, target_action: 'transfer' as const, filter_id: id }],
    };
    const portals: Portal[] = [];
    for (let n = 0; n < 7; n++) portals.push(await newPortal(t, { name: `Portal ${n}`, ...attach }));
    const refused = await remove(id);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'This filter is used by the Portals "Portal 0", "Portal 1", "Portal 2", "Portal 3", "Portal 4" and 2 more. Update them without its filter_id first.',
    ]);
    for (const portal of portals.slice(1)) await t.call('DELETE', `/v1/portals/${portal.id}`, { headers: key });
    expect((await remove(id)).body.message).toBe('This filter is used by the Portal "Portal 0". Update it without its filter_id first.');
    expect((await read(id)).status).toBe(200);
    const without = { ...attach, cloud_connections: [{ id: connection.body.id, target_action: 'transfer' }] };
    expect((await t.call('PUT', `/v1/portals/${portals[0]!.id}`, { headers: key, body: without })).status).toBe(200);
    expect((await remove(id)).status).toBe(204);
  });

  it('are those of a Team, for those who manage its integrations', async () => {
    const { id } = await made();
    const stranger = { 'x-user-token': (await addUser(t, 'owner', await addTeam(t, 'Other'))).token };
    for (const answer of [
      await read(id, stranger),
      await update(id, { rules: rules('a') }, stranger),
      await remove(id, stranger),
      await read(newId()),
    ]) {
      expect(answer).toMatchObject({
        status: 404,
        body: { message: 'There is no filter with this id, or this credential cannot see it.' },
      });
    }
    expect((await create({ name: 'Mine', rules: rules('a') }, stranger)).status).toBe(404);
    for (const [role, status] of [
      ['integration_manager', 200],
      ['admin', 200],
      ['member', 403],
      ['guest', 403],
    ] as const) {
      const headers = { 'x-user-token': (await addUser(t, role)).token };
      expect((await read(id, headers)).status).toBe(status);
      expect((await create({ name: role, rules: rules('a') }, headers)).status).toBe(status === 200 ? 201 : status);
    }
  });

  it('are limited in number for each Team', async () => {
    const { db, now } = t.service.services;
    const { count } = await db
      .selectFrom('filters')
      .select((it) => it.fn.countAll<string>().as('count'))
      .where('team_id', '=', t.teamId)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: limits.filtersPerTeam - Number(count) }, () => ({
      id: newId(),
      team_id: t.teamId,
      name: 'Filler',
      rules: JSON.stringify(rules('a')),
      created_at: now(),
      updated_at: now(),
    }));
    await db.insertInto('filters').values(rows).execute();
    const answer = await create({ name: 'One more', rules: rules('a') });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('at most 1000 filters')]);
    await db.deleteFrom('filters').where('name', '=', 'Filler').execute();
  });
});
