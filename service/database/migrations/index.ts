import type { Migration } from 'kysely/migration';
import * as accounts from './0001-accounts.ts';
import * as packages from './0002-packages.ts';
import * as integrations from './0003-integrations.ts';
import * as portals from './0004-portals.ts';
import * as packageLife from './0005-package-life.ts';
import * as teamspaces from './0006-teamspaces.ts';
import * as messages from './0007-messages.ts';
import * as checksums from './0008-checksums.ts';
import * as lists from './0009-lists.ts';
import * as receipts from './0010-receipts.ts';
import * as guesses from './0011-guesses.ts';
import * as roomInFiles from './0012-room-in-files.ts';
import * as closedTeamspaces from './0013-closed-teamspaces.ts';
import * as portalSums from './0014-portal-sums.ts';
import * as invitations from './0015-invitations.ts';
import * as buckets from './0016-buckets.ts';
import * as webhookScope from './0017-webhook-scope.ts';
import * as transfers from './0018-transfers.ts';
import * as externalIds from './0019-external-ids.ts';
import * as imports from './0020-imports.ts';
import * as transferMail from './0021-transfer-mail.ts';
import * as gateways from './0022-gateways.ts';
import * as renamedFiles from './0023-renamed-files.ts';
import * as sessions from './0024-sessions.ts';
import * as finalizedAt from './0025-finalized-at.ts';
import * as images from './0026-images.ts';
import * as teamSettings from './0027-team-settings.ts';
import * as portalNamesAndRequests from './0028-portal-names-and-requests.ts';
import * as mfa from './0029-mfa.ts';
import * as downloads from './0030-downloads.ts';
import * as people from './0031-people.ts';
import * as audit from './0032-audit.ts';
import * as teamImages from './0033-team-images.ts';
import * as usage from './0034-usage.ts';
import * as mailLanguage from './0035-mail-language.ts';
import * as deletedPackages from './0036-deleted-packages.ts';
import * as importFinalizes from './0037-import-finalizes.ts';
import * as notices from './0038-notices.ts';
import * as sso from './0039-sso.ts';
import * as deliveriesOfPackages from './0040-deliveries-of-packages.ts';
import * as failedMail from './0041-failed-mail.ts';
import * as operators from './0042-operators.ts';
import * as emailChanges from './0043-email-changes.ts';
import * as handovers from './0044-handovers.ts';
import * as storageDays from './0045-storage-days.ts';
import * as waitingMail from './0046-waiting-mail.ts';
import * as linkCodes from './0047-link-codes.ts';
import * as teamVerification from './0048-team-verification.ts';
import * as packedObjects from './0049-packed-objects.ts';
import * as quotas from './0050-quotas.ts';
import * as storagePrices from './0051-storage-prices.ts';
import * as portalStorage from './0052-portal-storage.ts';
import * as packageHolds from './0053-package-holds.ts';
import * as integrityMail from './0054-integrity-mail.ts';
import * as quotaWarnings from './0055-quota-warnings.ts';
import * as virusScans from './0056-virus-scans.ts';
import * as infectedFiles from './0070-infected-files.ts';
import * as integrityFindings from './0071-integrity-findings.ts';
import * as downloadedFiles from './0072-downloaded-files.ts';
import * as alteredRows from './0079-altered-rows.ts';
import * as recordedFiles from './0080-recorded-files.ts';
import * as teamEvents from './0081-team-events.ts';
import * as moreTeamEvents from './0082-more-team-events.ts';
import * as sharedChecks from './0084-shared-checks.ts';

/** Every migration, in order. Names are permanent once released; a change is a new migration. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-accounts': accounts,
  '0002-packages': packages,
  '0003-integrations': integrations,
  '0004-portals': portals,
  '0005-package-life': packageLife,
  '0006-teamspaces': teamspaces,
  '0007-messages': messages,
  '0008-checksums': checksums,
  '0009-lists': lists,
  '0010-receipts': receipts,
  '0011-guesses': guesses,
  '0012-room-in-files': roomInFiles,
  '0013-closed-teamspaces': closedTeamspaces,
  '0014-portal-sums': portalSums,
  '0015-invitations': invitations,
  '0016-buckets': buckets,
  '0017-webhook-scope': webhookScope,
  '0018-transfers': transfers,
  '0019-external-ids': externalIds,
  '0020-imports': imports,
  '0021-transfer-mail': transferMail,
  '0022-gateways': gateways,
  '0023-renamed-files': renamedFiles,
  '0024-sessions': sessions,
  '0025-finalized-at': finalizedAt,
  '0026-images': images,
  '0027-team-settings': teamSettings,
  '0028-portal-names-and-requests': portalNamesAndRequests,
  '0029-mfa': mfa,
  '0030-downloads': downloads,
  '0031-people': people,
  '0032-audit': audit,
  '0033-team-images': teamImages,
  '0034-usage': usage,
  '0035-mail-language': mailLanguage,
  '0036-deleted-packages': deletedPackages,
  '0037-import-finalizes': importFinalizes,
  '0038-notices': notices,
  '0039-sso': sso,
  '0040-deliveries-of-packages': deliveriesOfPackages,
  '0041-failed-mail': failedMail,
  '0042-operators': operators,
  '0043-email-changes': emailChanges,
  '0044-handovers': handovers,
  '0045-storage-days': storageDays,
  '0046-waiting-mail': waitingMail,
  '0047-link-codes': linkCodes,
  '0048-team-verification': teamVerification,
  '0049-packed-objects': packedObjects,
  '0050-quotas': quotas,
  '0051-storage-prices': storagePrices,
  '0052-portal-storage': portalStorage,
  '0053-package-holds': packageHolds,
  '0054-integrity-mail': integrityMail,
  '0055-quota-warnings': quotaWarnings,
  '0056-virus-scans': virusScans,
  '0070-infected-files': infectedFiles,
  '0071-integrity-findings': integrityFindings,
  '0072-downloaded-files': downloadedFiles,
  '0079-altered-rows': alteredRows,
  '0080-recorded-files': recordedFiles,
  '0081-team-events': teamEvents,
  '0082-more-team-events': moreTeamEvents,
  '0084-shared-checks': sharedChecks,
};
