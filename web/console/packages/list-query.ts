/** Which packages the list shows, as it stands in the address. */

export const shown = ['all', 'sent', 'received', 'expired', 'archived'] as const;
export type Shown = (typeof shown)[number];

export const sorts = ['-created_at', 'created_at', 'name', '-size', 'size', 'expiry'] as const;
export type Sort = (typeof sorts)[number];

/** Filters by their names in the address; an empty text is none. */
export const filterNames = ['sender', 'portal', 'space', 'tag', 'min', 'max', 'from', 'to'] as const;
export type FilterName = (typeof filterNames)[number];

export interface PackageList {
  readonly shown: Shown;
  readonly sort: Sort;
  readonly search: string;
  readonly filters: Readonly<Record<FilterName, string>>;
}

export function listOf(query: URLSearchParams): PackageList {
  const text = (name: string): string => query.get(name) ?? '';
  return {
    shown: shown.find((one) => one === query.get('show')) ?? 'all',
    sort: sorts.find((one) => one === query.get('sort')) ?? '-created_at',
    search: text('q'),
    filters: Object.fromEntries(filterNames.map((name) => [name, text(name)])) as PackageList['filters'],
  };
}

const states = { all: ['finalized'], sent: ['finalized'], received: ['finalized'], expired: ['expired'], archived: ['archived'] } as const;
const megabyte = 1_000_000;

/** Bytes of a text in megabytes; undefined for what is none. */
function bytesOf(text: string): number | undefined {
  const value = Number(text.replace(',', '.'));
  return text.trim() === '' || !Number.isFinite(value) || value < 0 ? undefined : Math.round(value * megabyte);
}

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** The same list as the API's query has it (docs/contract/packages.md §5). */
export function apiQueryOf({ shown, sort, search, filters }: PackageList) {
  const [min, max] = [bytesOf(filters.min), bytesOf(filters.max)];
  return {
    sort,
    status: [...states[shown]],
    ...(shown === 'sent' || shown === 'received' ? { received: shown === 'received' } : {}),
    ...(search.trim() === '' ? {} : { name: search.trim() }),
    ...(filters.sender.trim() === '' ? {} : { sender: filters.sender.trim() }),
    ...(filters.portal === '' ? {} : { portals: filters.portal }),
    ...(filters.space === '' ? {} : { teamspaces: filters.space }),
    ...(filters.tag === '' ? {} : { tags: filters.tag }),
    ...(min === undefined ? {} : { size_min: min }),
    ...(max === undefined ? {} : { size_max: max }),
    ...(isDay(filters.from) ? { created_at_start: filters.from } : {}),
    ...(isDay(filters.to) ? { created_at_end: filters.to } : {}),
  };
}

export const isFiltered = ({ search, filters }: PackageList): boolean => search !== '' || Object.values(filters).some((one) => one !== '');
