import { checkAuthorization } from '#protocol/authorization.ts';
import type { Connection, CreateConnection } from '#protocol/hosted/connections.ts';
import { type AuthorizationField, type Direction, type Provider, type ProviderName, providers } from '#protocol/providers.ts';
import { withChanges } from '../ui/with-changes.ts';

/** A connection as it is filled in: what the catalogue says of its provider decides which fields there are. */
export interface ConnectionDraft {
  readonly provider: ProviderName;
  readonly direction: Direction;
  /** The chosen way to sign in; empty where there is one alone. */
  readonly alternative: string;
  readonly name: string;
  /** Of the fields of `authorization`, by their names. */
  readonly values: Readonly<Record<string, string>>;
  readonly gatewayId: string;
  readonly target: string;
  /** A folder on each line. */
  readonly sources: string;
  readonly manifest: boolean;
}

const catalogue: Readonly<Record<ProviderName, Provider>> = providers;
export const providerOf = (name: ProviderName): Provider => catalogue[name];

/** The fields of a provider, those of the chosen way to sign in first. */
export function fieldsOf({ provider, alternative }: Pick<ConnectionDraft, 'provider' | 'alternative'>): readonly AuthorizationField[] {
  const { alternatives, fields } = providerOf(provider);
  return [...(alternatives.find(({ name }) => name === alternative)?.fields ?? []), ...fields];
}

/** A new connection to a provider, with what is usual filled in. */
export function newDraft(provider: ProviderName): ConnectionDraft {
  const { directions, alternatives } = providerOf(provider);
  const alternative = alternatives[0]?.name ?? '';
  const values = Object.fromEntries(
    fieldsOf({ provider, alternative }).flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]])),
  );
  return { provider, direction: directions[0]!, alternative, name: '', values, gatewayId: '', target: '', sources: '', manifest: false };
}

/** What is known of a connection. Its credentials are not: empty ones stay as they are. */
export const draftOf = (connection: Connection): ConnectionDraft => ({
  provider: connection.provider,
  direction: connection.direction,
  alternative: connection.external_id !== undefined ? 'role' : (providerOf(connection.provider).alternatives[0]?.name ?? ''),
  name: connection.name,
  values: {},
  gatewayId: connection.storage_gateway_id ?? '',
  target: connection.target_directory_id,
  sources: connection.source_directory_ids.join('\n'),
  manifest: connection.upload_transfer_manifest,
});

/** What was filled in of `authorization`. */
export const authorizationOf = (draft: ConnectionDraft): Record<string, string> =>
  Object.fromEntries(
    fieldsOf(draft).flatMap(({ name, multiline }) => {
      const value = draft.values[name] ?? '';
      const sent = multiline ? value : value.trim();
      return sent === '' ? [] : [[name, sent]];
    }),
  );

/** The folders that are written one a line. */
export const foldersOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Adds a folder to those that are written one a line, or takes it away. A slash around it means nothing. */
export function withFolder(text: string, id: string): string {
  const folder = id.replace(/^\/+|\/+$/g, '');
  const folders = foldersOf(text);
  return (folders.includes(folder) ? folders.filter((one) => one !== folder) : [...folders, folder]).join('\n');
}

/** The settings that have nothing to do with credentials, of those that the connection can have. */
function settingsOf(draft: ConnectionDraft) {
  const { s3 } = providerOf(draft.provider);
  return draft.direction === 'service_to_cloud'
    ? { target_directory_id: draft.target.trim(), ...(s3 && { upload_transfer_manifest: draft.manifest }) }
    : { source_directory_ids: foldersOf(draft.sources) };
}

export function creationOf(draft: ConnectionDraft): CreateConnection {
  return {
    provider: draft.provider,
    direction: draft.direction,
    authorization: authorizationOf(draft),
    ...(draft.name.trim() !== '' && { name: draft.name }),
    ...(draft.gatewayId !== '' && { storage_gateway_id: draft.gatewayId }),
    ...settingsOf(draft),
  };
}

/** What a change sends: credentials only where some were filled in, and of the rest what differs, as others may have changed that. */
export function changeOf(draft: ConnectionDraft, read: ConnectionDraft) {
  const authorization = authorizationOf(draft);
  const { name, gatewayId } = draft;
  return {
    ...(name.trim() !== '' && name !== read.name && { name }),
    ...(Object.keys(authorization).length > 0 && { authorization }),
    ...(gatewayId !== '' && gatewayId !== read.gatewayId && { storage_gateway_id: gatewayId }),
    ...withChanges<Partial<ReturnType<typeof settingsOf>>>(settingsOf(read), settingsOf(draft), {}),
  };
}

/** What is wrong with the credentials, by field: null where one is missing, else a sentence. */
export function faultsOf(draft: ConnectionDraft, mode: 'create' | 'update'): Readonly<Record<string, string | null>> {
  const sent = authorizationOf(draft);
  const problems = checkAuthorization(draft.provider, sent, draft.direction, mode);
  return Object.fromEntries(
    problems.flatMap(({ field, message }) => {
      // Of the chosen way to sign in nothing is filled in yet.
      if (field === 'authorization')
        return fieldsOf(draft).flatMap((one) => (one.required && sent[one.name] === undefined ? [[one.name, null]] : []));
      const name = /^authorization\.(.+)$/.exec(field)?.[1];
      return name === undefined ? [] : [[name, sent[name] === undefined ? null : message]];
    }),
  );
}
