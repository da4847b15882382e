import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServiceMetrics } from '#service/metrics/metrics.ts';
import { metricsHandler } from '#service/metrics/serve.ts';
import { startHttpServer, type TestServer } from '#test/support/system/http-server.ts';

let server: TestServer;
let broken = false;
const failures: unknown[] = [];
const metrics = createServiceMetrics({
  version: '0.1.0',
  async queues() {
    if (broken) throw new Error('no database');
    return [{ name: 'mail.send', queued: 3, active: 1, deferred: 2, failed: 4 }];
  },
  async transfers() {
    if (broken) throw new Error('no database');
    return { now: { pending: 2, started: 1 }, ended: { complete: 4, error: 1 }, bytes: 5_000 };
  },
  transferShare: () => 0.125,
  async gateways() {
    if (broken) throw new Error('no database');
    return { online: 3, offline: 1 };
  },
  condition: {
    problems: async () => [{ error: 'storage_damaged', code: 327_693, message: '', since: '' }],
    disks: async () => [{ holds: ['data', 'objects'], total: 1_000, free: 250 }],
    async oldestDue() {
      if (broken) throw new Error('no database');
      return new Date('2026-11-03T04:00:00Z');
    },
    certificateEnd: () => null,
    async integrity() {
      const counts = { damaged: 2 };
      return {
        begun: '2026-11-03T01:07:00.000Z',
        last: { begun_at: '', ended_at: '2026-11-03T04:00:00.000Z', objects: 5, bytes: 9, counts },
        counts,
      };
    },
    lastBackup: async () => new Date('2026-11-03T03:00:00Z'),
    async scans() {
      if (broken) throw new Error('no database');
      return { waiting: 7, oldest: new Date('2026-11-03T04:01:00Z'), infected: 2 };
    },
    now: () => new Date('2026-11-03T04:01:30Z'),
  },
});

beforeAll(async () => {
  server = await startHttpServer(metricsHandler(metrics, (error) => failures.push(error)));
});
afterAll(() => server.close());

const read = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text();

describe('the service’s metrics', () => {
  it('count calls by route, jobs by state, and the process', async () => {
    const call = { method: 'GET', route: '/v1/packages/:package_id', status: 200, seconds: 0.03 };
    metrics.answered(call);
    metrics.answered({ ...call, seconds: 0.3 });
    metrics.answered({ ...call, status: 404 });
    const text = await read();
    expect(text).toContain('longshore_service_calls_total{method="GET",route="/v1/packages/:package_id",status="200"} 2');
    expect(text).toContain('longshore_service_calls_total{method="GET",route="/v1/packages/:package_id",status="404"} 1');
    expect(text).toContain('longshore_service_call_seconds_bucket{le="0.1",method="GET"} 2');
    expect(text).toContain('longshore_service_jobs{job="mail.send",state="queued"} 3');
    expect(text).toContain('longshore_service_transfers{state="pending"} 2');
    expect(text).toContain('longshore_service_gateways{state="online"} 3');
    expect(text).toContain('longshore_service_transfers_ended_total{state="complete"} 4');
    expect(text).toContain('longshore_service_transfer_bytes_total 5000');
    expect(text).toContain('longshore_service_transfer_limit_ratio 0.125');
    expect(text).toContain('longshore_service_database_up 1');
    expect(text).toContain('longshore_service_info{version="0.1.0"} 1');
    expect(text).toContain('longshore_service_problems{error="storage_damaged"} 1');
    expect(text).toContain('longshore_service_disk_free_bytes{holds="data,objects"} 250');
    expect(text).toContain('longshore_service_disk_size_bytes{holds="data,objects"} 1000');
    expect(text).toContain('longshore_service_oldest_due_job_seconds 90');
    expect(text).toContain('longshore_service_integrity_findings{kind="damaged"} 2');
    expect(text).toContain('longshore_service_integrity_findings{kind="missing"} 0');
    expect(text).toMatch(/^longshore_service_integrity_checked_timestamp_seconds 17936784\d\d$/m);
    expect(text).toContain(`longshore_service_integrity_begun_timestamp_seconds ${Date.parse('2026-11-03T01:07:00Z') / 1000}`);
    expect(text).toContain(`longshore_service_backup_timestamp_seconds ${Date.parse('2026-11-03T03:00:00Z') / 1000}`);
    expect(text).toContain('longshore_service_virus_scans_waiting 7');
    expect(text).toContain('longshore_service_virus_scan_oldest_seconds 30');
    expect(text).toContain('longshore_service_virus_infected_files 2');
    expect(text).not.toMatch(/^longshore_service_certificate_expiry/m);
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
      expect(text).toMatch(new RegExp(`^${name} [\\d.e-]+$`, 'm'));
  });

  it('report that the database does not answer', async () => {
    broken = true;
    const text = await read();
    broken = false;
    expect(text).toContain('longshore_service_database_up 0');
    expect(text).not.toContain('longshore_service_jobs{');
    expect(text).not.toMatch(/^longshore_service_oldest_due/m);
    expect(text).not.toMatch(/^longshore_service_virus_/m);
    expect(text).toContain('longshore_service_disk_free_bytes');
    expect(failures).toEqual([]);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['GET', '/', {}, 404],
    ['POST', '/metrics', {}, 404],
    ['GET', '/metrics?x=1', {}, 200],
    ['GET', '/metrics', { origin: 'https://evil.example' }, 403],
    ['GET', '/metrics', { 'sec-fetch-site': 'cross-site' }, 403],
    ['GET', '/metrics', { 'sec-fetch-site': 'none' }, 200],
  ])('answer %s %s with %j by %i', async (method, path, headers, status) => {
    expect((await fetch(server.url + path, { method, headers })).status).toBe(status);
  });
});
