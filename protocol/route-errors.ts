import { type ErrorName, errorCatalogue } from './errors.ts';
import type { Route } from './route.ts';

/**
 * Every error that a route can answer with: its own, and those that follow from its inputs. Without duplicates, ordered
 * by status.
 */
export function errorsOf(route: Route): readonly ErrorName[] {
  const names = new Set<ErrorName>();
  if (route.params || route.query || route.body) names.add('invalid_request');
  if (route.body) {
    names.add('malformed_json');
    names.add('body_too_large');
    names.add('unsupported_media_type');
  }
  if (!route.credentials.includes('none')) {
    names.add('credential_missing');
    names.add('credential_invalid');
  }
  for (const name of route.errors ?? []) names.add(name);
  names.add('rate_limited');
  names.add('internal');
  return [...names].sort((a, b) => errorCatalogue[a].status - errorCatalogue[b].status || errorCatalogue[a].code - errorCatalogue[b].code);
}

/** The same, grouped by HTTP status, ascending. */
export function errorsByStatus(route: Route): ReadonlyMap<number, readonly ErrorName[]> {
  return Map.groupBy(errorsOf(route), (name) => errorCatalogue[name].status);
}
