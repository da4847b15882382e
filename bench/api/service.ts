import { startService } from '#service/server.ts';
import { addMember, seedPackages } from './seed.ts';

/**
 * A service in a process of its own, with limits that a bench does not reach, or empty Fastify routes as the
 * yardstick. Its parent talks to it by messages; it ends when the parent does.
 */

export type Asked = { readonly start: 'service'; readonly folder: string; readonly packages: number } | { readonly start: 'yardstick' };

const boundless = Number.MAX_SAFE_INTEGER;
process.once('disconnect', () => process.exit());
process.once('message', (asked: Asked) => {
  start(asked).then(
    (facts) => process.send!(facts),
    (error: unknown) => process.send!({ error: error instanceof Error ? error.message : String(error) }),
  );
});

async function start(asked: Asked): Promise<unknown> {
  if (asked.start === 'yardstick') {
    const { default: Fastify } = await import('fastify');
    const app = Fastify();
    app.get('/', async () => ({ status: 'ok' }));
    // As many bytes as a call answers with: what is left of a comparison when sending them is taken out.
    const replies = new Map<string, string>();
    app.get<{ Params: { bytes: string } }>('/bytes/:bytes', async ({ params: { bytes } }, reply) => {
      const text = replies.get(bytes) ?? JSON.stringify('x'.repeat(Number(bytes) - 2));
      replies.set(bytes, text);
      return reply.type('application/json').send(text);
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    process.once('SIGTERM', () => void app.close().then(() => process.exit()));
    return { url };
  }
  const owner = { email: 'owner@longshore.example', password: 'measured on loopback only', team: 'Bench' };
  const service = await startService({
    listen: { host: '127.0.0.1', port: 0 },
    dataDir: asked.folder,
    owner,
    logLevel: 'error',
    limits: { perCredential: boundless, perAddress: boundless, linksPerAddress: boundless, refusalsPerAddress: boundless },
  });
  process.once('SIGTERM', () => void service.close().then(() => process.exit()));
  const { db, tokens } = service.services;
  const { team_id: teamId, user_id: userId } = await db.selectFrom('memberships').select(['team_id', 'user_id']).executeTakeFirstOrThrow();
  const seeded = await seedPackages(db, { teamId, userId, packages: asked.packages });
  const memberToken = await tokens.sign('user', { userId: await addMember(db, teamId), version: 1 });
  return { url: service.url, teamId, userId, owner, memberToken, seeded };
}
