import { afterAll, beforeAll } from 'vitest';
import { whole } from '../level.ts';
import { usualServices } from './start-service.ts';

/**
 * One service in these files as well: in the second run of a soak, which is without the fast ways (test/soak.ts), and in a run of the
 * first level, where what is about a pair by itself still has two (`processes: 2`).
 */
const alone = !whole || process.env['LONGSHORE_FAST'] === 'off';

/**
 * Named at the top of a file before all else, it has its tests run with two services on one database (two-services.ts), where
 * they do not say how many. For what has jobs or events, and what a service remembers in its own process, as uploads,
 * credentials and wrong guesses. Not for what the database alone decides, as forms, tags and Teamspaces: calls of one service
 * come to it by connections of their own, too. What these files are about, one service does for all the others.
 */
export function inPairs(): void {
  beforeAll(() => {
    usualServices.count = alone ? 1 : 2;
  });
  afterAll(() => {
    usualServices.count = 1;
  });
}
