import type { Automation } from '#protocol/agent/automations/automation.ts';
import type { Mount } from '#protocol/agent/mounts.ts';
import type { LinkPreview } from '#protocol/agent/previews.ts';
import type { AgentSession, AgentTeam } from '#protocol/agent/session.ts';
import type { SignedIn } from '#protocol/agent/sessions.ts';
import type { RateLimit } from '#protocol/agent/settings.ts';
import type { UnreachableService } from '#protocol/agent/system.ts';
import type { AgentTransfer, TransferFile } from '#protocol/agent/transfers.ts';
import type { CreatedApiKey } from '#protocol/hosted/accounts.ts';
import type { PublicPortal } from '#protocol/hosted/portals.ts';

/** Lifelike values for tests of the pages. */

export function sampleTeam(change: Partial<AgentTeam> = {}): AgentTeam {
  return {
    id: 'team-1',
    name: 'Harbour Pictures',
    subdomain: 'harbour',
    custom_expiry_default: 10,
    custom_expiry_enabled: true,
    download_limit_default: 0,
    download_limit_enabled: false,
    max_email_recipients: 50,
    ...change,
  };
}

export function sampleSession(change: Partial<AgentSession> = {}): AgentSession {
  return { user: { id: 'user-1', name: 'Mia Lindqvist', email: 'mia@harbour.example' }, teams: [sampleTeam()], ...change };
}

export function sampleTransfer(change: Partial<AgentTransfer> = {}): AgentTransfer {
  return {
    id: 'transfer-1',
    kind: 'upload',
    state: 'transferring',
    name: 'Dailies, day 12',
    team_id: 'team-1',
    package_id: 'package-1',
    url: '',
    links: [],
    dst_folder: '',
    paths: ['/media/A001'],
    priority: 'normal',
    position: 1,
    bytes: 42_000_000_000,
    total_bytes: 118_400_000_000,
    files: 31,
    total_files: 86,
    bytes_per_second: 112_000_000,
    seconds_left: 682,
    waiting: null,
    error: null,
    created_at: '2026-11-20T08:00:00.000Z',
    updated_at: '2026-11-20T08:05:00.000Z',
    finished_at: null,
    ...change,
  };
}

type AutomationOf<Kind extends Automation['kind']> = Extract<Automation, { kind: Kind }>;

const automationFacts = {
  active: true,
  state: 'watching',
  message: '',
  waiting_for: '',
  next_scan_at: '2026-11-20T08:10:00.000Z',
  last_run_at: '2026-11-20T08:05:00.000Z',
  counts: { sent: 412, waiting: 0, failed: 0, questions: 0 },
  created_at: '2026-11-02T08:00:00.000Z',
  updated_at: '2026-11-02T08:00:00.000Z',
} as const;

const watchDefaults = {
  recursive: true,
  settle_seconds: 30,
  package_per: 'entry',
  growing: false,
  growing_idle_seconds: 60,
  by_content: false,
  existing: false,
  after: 'keep',
} as const;

export function sampleTeamUpload(change: Partial<AutomationOf<'team_upload'>> = {}): Automation {
  return {
    id: 'automation-1',
    kind: 'team_upload',
    name: 'Renders',
    folder: '/media/renders',
    team_id: 'team-1',
    recipients: ['post@northlight.example'],
    ...watchDefaults,
    ...automationFacts,
    ...change,
  };
}

export function samplePortalUpload(change: Partial<AutomationOf<'portal_upload'>> = {}): Automation {
  return {
    id: 'automation-2',
    kind: 'portal_upload',
    name: 'Camera cart',
    folder: '/media/cart',
    subdomain: 'northlight',
    sender: 'mia@harbour.example',
    has_access_code: false,
    ...watchDefaults,
    ...automationFacts,
    ...change,
  };
}

export function samplePortalDownload(change: Partial<AutomationOf<'portal_download'>> = {}): Automation {
  return {
    id: 'automation-3',
    kind: 'portal_download',
    name: 'Northlight in',
    team_id: 'team-1',
    portal_id: 'portal-1',
    dst_folder: '/media/incoming',
    create_package_folder: true,
    afterwards: 'keep',
    ...automationFacts,
    ...change,
  };
}

export function sampleAllPortalsDownload(change: Partial<AutomationOf<'all_portals_download'>> = {}): Automation {
  return {
    id: 'automation-4',
    kind: 'all_portals_download',
    name: 'Everything that comes in',
    team_id: 'team-1',
    dst_folder: '/media/archive',
    create_package_folder: true,
    subfolders: ['portal', 'date'],
    afterwards: 'keep',
    ...automationFacts,
    ...change,
  };
}

export function sampleMount(change: Partial<Mount> = {}): Mount {
  return {
    id: 'mount-1',
    name: 'Dailies NAS',
    team_id: 'team-1',
    gateway_id: 'gateway-1',
    cloud_connection_id: 'connection-1',
    path: '/mnt/nas/dailies',
    read_only: false,
    state: 'ok',
    reason: '',
    free_bytes: 8_400_000_000_000,
    tasks: 0,
    created_at: '2026-11-02T08:00:00.000Z',
    updated_at: '2026-11-02T08:00:00.000Z',
    ...change,
  };
}

export function sampleUnreachable(change: Partial<UnreachableService> = {}): UnreachableService {
  return {
    service_url: 'https://share.example.com',
    since: '2026-11-20T08:05:00.000Z',
    reason:
      'The service at https://share.example.com cannot be reached: connect ECONNREFUSED 203.0.113.7:443. Check the address and the network.',
    next_try_at: new Date(Date.now() + 42_000).toISOString(),
    transfers: 2,
    ...change,
  };
}

export function sampleFile(change: Partial<TransferFile> = {}): TransferFile {
  return {
    id: 'file-1',
    name: 'A001C001.mov',
    path: 'A001',
    kind: 'file',
    size: 2_400_000_000,
    bytes: 2_400_000_000,
    state: 'complete',
    error: null,
    ...change,
  };
}

export function sampleSignedIn(change: Partial<SignedIn> = {}): SignedIn {
  return {
    id: 'session-2',
    service_url: 'https://files.northlight.example',
    kind: 'user',
    state: 'active',
    login: false,
    user: { id: 'user-2', name: 'Mia Lindqvist', email: 'mia@northlight.example' },
    teams: [sampleTeam({ id: 'team-9', name: 'Northlight', subdomain: 'northlight', custom_expiry_default: 30 })],
    ...change,
  };
}

export function sampleRateLimit(change: Partial<RateLimit> = {}): RateLimit {
  const day = { enabled: false, start: '08:00', end: '18:00' };
  return {
    enabled: false,
    rate_limit_bps: 0,
    schedule_enabled: false,
    schedule: { mon: day, tue: day, wed: day, thu: day, fri: day, sat: day, sun: day },
    ...change,
  };
}

export function samplePublicPortal(change: Partial<PublicPortal> = {}): PublicPortal {
  return {
    id: 'portal-1',
    name: 'Northlight dailies',
    subdomain: 'northlight',
    message: 'Camera and sound of each day, please, by midnight.',
    active: true,
    has_access_code: false,
    terms_of_service_enabled: false,
    terms_of_service: { title: '', description: '', checkbox_label: '', checkbox_url: '' },
    package_size_restriction_enabled: false,
    max_package_size: 0,
    max_file_size: 0,
    max_file_count: 0,
    file_type_restriction_enabled: false,
    file_types: [],
    expiry_enabled: false,
    expiry: '2027-01-01T00:00:00.000Z',
    primary_color: '',
    logo_url: '',
    background_url: '',
    name_pattern: '',
    name_pattern_label: '',
    name_pattern_example: '',
    ...change,
  };
}

export function sampleLinkPreview(change: Partial<LinkPreview> = {}): LinkPreview {
  const file = (id: string, path: string, name: string, size: number) => ({ id, kind: 'file' as const, path, name, size });
  const files = [
    file('f1', 'Stems', 'Reel 1 strings.wav', 812_000_000),
    file('f2', 'Stems', 'Reel 1 brass.wav', 640_000_000),
    file('f3', 'Stems/Alternates', 'Reel 1 brass, muted.wav', 640_000_000),
    file('f4', '', 'Cue sheet.pdf', 184_000),
  ];
  return {
    service_url: 'https://share.example.com',
    name: 'Music stems',
    sender: 'composer@northlight.example',
    message: 'Reels 1 to 6, conformed to the cut of Tuesday.\nThe brass of reel 4 follows tonight.',
    expiry: '2026-12-24T00:00:00.000Z',
    used_up: false,
    size: files.reduce((sum, { size }) => sum + size, 0),
    total_files: files.length,
    files,
    ...change,
  };
}

export function sampleApiKey(change: Partial<CreatedApiKey> = {}): CreatedApiKey {
  return {
    id: 'key-1',
    key: 'ls_secret',
    name: 'Render farm',
    description: '',
    expiry: '0001-01-01T00:00:00.000Z',
    state: 'active',
    created_at: '2026-11-22T12:00:00.000Z',
    updated_at: '2026-11-22T12:00:00.000Z',
    last_request_at: '0001-01-01T00:00:00.000Z',
    ...change,
  };
}
