import { teamspaceMemberHandlers } from './members.ts';
import { teamspaceRecordHandlers } from './teamspaces.ts';

/** Teamspaces and their members. Their packages are listed in service/packages. */
export const teamspaceHandlers = { ...teamspaceRecordHandlers, ...teamspaceMemberHandlers };
