import type { AgentSession, AgentTeam } from '#protocol/agent/session.ts';
import type { AgentTransfer, TransferFile } from '#protocol/agent/transfers.ts';

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
