import { describe, expect, it } from 'vitest';
import { permissions } from '#service/permissions.ts';
import { isConsolePath, matchPath } from '#web/console/app/address.ts';
import { ownPath } from '#web/console/app/app.tsx';
import { entriesFor, views } from '#web/console/app/views.ts';

describe('matchPath', () => {
  it.each([
    ['/t/{team_id}', '/t/a1', { team_id: 'a1' }],
    ['/t/{team_id}', '/t/a1/', { team_id: 'a1' }],
    ['/t/{team_id}/packages/{package_id}', '/t/a1/packages/%2Fx', { team_id: 'a1', package_id: '/x' }],
    ['/profile', '/profile', {}],
    ['/t/{team_id}', '/t/', null],
    ['/t/{team_id}', '/t/a1/packages', null],
    ['/t/{team_id}', '/t/%', null],
  ])('%s at %s', (pattern, path, values) => {
    expect(matchPath(pattern, path)).toEqual(values);
  });
});

it.each([
  ['/t/a1/packages?state=expired', '/t/a1/packages?state=expired'],
  [null, '/'],
  ['//example.org', '/'],
  ['/\\example.org', '/'],
  ['/\t/example.org', '/'],
  ['/\r\n/example.org', '/'],
  ['https://example.org', '/'],
  ['/sign-in?next=/sign-in', '/'],
])('ownPath(%j)', (address, path) => {
  expect(ownPath(address)).toBe(path);
});

it.each([
  ['/', true],
  ['/sign-in', true],
  ['/t/a1/packages', true],
  ['/profile/sessions', true],
  ['/operator', true],
  ['/docs', false],
  ['/d/abc', false],
  ['/password', false],
  ['/operators', false],
])('isConsolePath(%j)', (path, is) => {
  expect(isConsolePath(path)).toBe(is);
});

describe('the views', () => {
  it('name permissions that there are, and addresses of the console', () => {
    for (const { path, permission } of views) {
      expect(isConsolePath(path)).toBe(true);
      if (permission !== null) expect([...Object.keys(permissions), 'operate']).toContain(permission);
    }
  });

  it('are in the navigation of those who may see them', () => {
    expect(entriesFor([])).toEqual(views.filter(({ entry, permission }) => entry && permission === null));
    expect(entriesFor(['packages.read']).map(({ path }) => path)).toContain('/t/{team_id}');
  });
});
