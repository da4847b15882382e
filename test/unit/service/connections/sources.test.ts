import { expect, it } from 'vitest';
import { isWithinSources, sourceRoots } from '#service/connections/sources.ts';
import { fixedPart, landingPlaces } from '#service/connections/validate.ts';

it.each([
  [[], null],
  [[''], null],
  [['a', '/'], null],
  [['a'], ['a']],
  [
    ['/a/', 'b/c/', 'a'],
    ['a', 'b/c'],
  ],
])('a picker of %j begins with %j', (sources, roots) => {
  expect(sourceRoots(sources)).toEqual(roots);
});

it.each([
  [[], 'anything/at all', true],
  [['a'], 'a', true],
  [['a'], 'a/', true],
  [['/a/'], 'a/b/c.mov', true],
  [['a/b', 'c'], 'c/d', true],
  [['a'], '', false],
  [['a'], 'ab', false],
  [['a'], 'A', false],
  [['a'], '/a', false],
  [['a/b'], 'a', false],
  [['a'], 'a/../b', false],
  [['a'], 'a/..', false],
  [['a'], 'a\\..\\b', false],
  [['a'], 'a/./../b', false],
  [['a'], 'a/..b/c', true],
])('of %j, %j is one to read: %j', (sources, path, within) => {
  expect(isWithinSources(sources, path)).toBe(within);
});

it.each([
  ['', ''],
  ['in/day 1/', 'in/day 1'],
  ['in/{date}/{package}', 'in'],
  ['in/from {sender}/x', 'in'],
  ['{portal}', ''],
  ['in/{braces}/x', 'in/{braces}/x'],
])('deliveries to %j have %j in common', (target, fixed) => {
  expect(fixedPart(target)).toBe(fixed);
});

it.each([
  ['', ['Portal Downloads', 'Longshore']],
  ['/', ['Portal Downloads', 'Longshore']],
  ['in/{date}', ['in']],
])('deliveries to %j land in %j', (target, places) => {
  expect(landingPlaces(target)).toEqual(places);
});
