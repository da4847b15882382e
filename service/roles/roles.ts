import { StartError } from '../start-error.ts';

/** What a process of the service does: answer the API and its pages, work off jobs and transfers, serve local storage. */
export const allRoles = ['api', 'worker', 'storage'] as const;

export type Role = (typeof allRoles)[number];
export type Roles = ReadonlySet<Role>;

export const everyRole: Roles = new Set(allRoles);

/** A process with all roles is the whole service; one with some of them works beside others, on one database. */
export const areApart = (roles: Roles): boolean => roles.size < allRoles.length;

const isRole = (name: string): name is Role => allRoles.some((role) => role === name);

/** Roles from a list with commas: `api,worker`. Errors: `StartError`. */
export function parseRoles(text: string): Roles {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !isRole(name));
  if (wrong === undefined) return new Set(names.filter(isRole));
  throw invalid(
    `${wrong === '' ? 'A role is missing' : `${wrong} is not a role`} in --role: give one or more of api, worker, storage, with commas.`,
  );
}

/** The options that say where a process finds what others have. */
interface Settings {
  readonly databaseUrl?: string | undefined;
  readonly storageUrl?: string | undefined;
  readonly storage?: unknown;
  readonly publicUrl?: string | undefined;
  readonly storagePublicUrl?: string | undefined;
}

/** Checks that a process with these roles finds what others have. Errors: `StartError`. */
export function checkRoles(roles: Roles, settings: Settings): void {
  if (!areApart(roles)) return;
  const isLocal = settings.storageUrl === undefined && settings.storage === undefined;
  if (settings.databaseUrl === undefined) {
    throw invalid(
      'Processes with some of the roles share one PostgreSQL: name yours by --database-url. The private one belongs to a process with all roles.',
    );
  }
  if (roles.has('storage') && !isLocal) {
    throw invalid(
      'With --storage-url the bytes are in a bucket, and the role storage has nothing to serve. Leave it out of --role, or leave out --storage-url.',
    );
  }
  if (isLocal && !roles.has('storage') && settings.storagePublicUrl === undefined) {
    throw invalid(
      'Another process serves the local storage. Say by --storage-public-url where senders and receivers reach it, or name a bucket by --storage-url.',
    );
  }
  if (roles.has('worker') && !roles.has('api') && settings.publicUrl === undefined) {
    throw invalid('A worker writes links into mail. Say by --public-url where people reach the API, the same as for the API.');
  }
}

const invalid = (message: string): StartError => new StartError('option_invalid', message);
