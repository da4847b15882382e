import { ServiceError } from '#client/errors.ts';
import type { ErrorName } from '#protocol/errors.ts';
import type { QuotaError } from '#protocol/hosted/quotas.ts';

const ofQuotas: ReadonlySet<ErrorName> = new Set<QuotaError>(['team_storage_full', 'portal_storage_full', 'team_traffic_used']);

/** Whether nothing more is taken before somebody makes room: it then holds for all further files. */
export const isQuotaFault = (fault: unknown): boolean => fault instanceof ServiceError && ofQuotas.has(fault.error);
