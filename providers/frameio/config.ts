import { ProviderError } from '../errors.ts';

export interface FrameioConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly projectId: string;
}

/** The config in a connection's `authorization`, whose form has been checked (`protocol/authorization.ts`). */
export function frameioConfig(authorization: Readonly<Record<string, string>>): FrameioConfig {
  const { client_id = '', client_secret = '', account_id = '', workspace_id = '', project_id = '' } = authorization;
  return {
    clientId: client_id.trim(),
    clientSecret: client_secret.trim(),
    accountId: idIn('account', account_id),
    workspaceId: idIn('workspace', workspace_id),
    projectId: idIn('project', project_id),
  };
}

/** A UUID; Adobe's own ids of what lies in its cloud storage begin with `adobe:`. */
function idIn(what: string, text: string): string {
  const id = text.trim();
  if (/^([\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|adobe:[\w:.@-]{1,200})$/i.test(id)) return id;
  throw new ProviderError(
    'misconfigured',
    `The ${what} ID is not one of Frame.io's: 32 digits and letters in five groups, not the name. Enter it as the API shows it.`,
  );
}
