import { browserFetcher } from '../common/browser-fetcher.ts';
import { askEarly } from './page/early-answers.ts';
import { placeOfPage } from './page/place-of-page.ts';

/**
 * Comes before the page's own code, which is a hundred times as large, and asks meanwhile what that will ask first: on a
 * slow line these are two round trips less to wait for.
 */
const place = placeOfPage(new URL(location.href));
if (place) {
  globalThis.longshoreEarly = askEarly(
    browserFetcher((input, init) => fetch(input, init)),
    place,
  );
}
