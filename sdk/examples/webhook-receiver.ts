/**
 * Receives a webhook's calls, verifies their signatures, and prints one line for each event.
 *
 *   WEBHOOK_SECRET=whsec_… PORT=8099 node webhook-receiver.ts
 *
 * The secret is shown once, when the webhook is created. A receiver on the internet belongs behind HTTPS.
 */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookError, type WebhookPayload } from '@longshore/sdk';

const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error('Give the secret of the webhook as WEBHOOK_SECRET.');

/** Ids of events that were handled: an event is sent again when its answer was lost. A real receiver stores them. */
const handled = new Set<string>();

function detailOf(object: WebhookPayload['object']): string {
  if (object.type === 'quota') return `${object.used} of ${object.limit} bytes`;
  return `${object.type === 'package' ? object.total_files : object.progress.total_files} files`;
}

const server = createServer(async (request, reply) => {
  try {
    const event = await verifyWebhook(request.headers, await buffer(request), secret);
    if (!handled.has(event.event_id)) {
      handled.add(event.event_id);
      const { object } = event;
      console.log(`${event.event_type}: ${object.name}, ${detailOf(object)}`);
    }
    reply.writeHead(204).end();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    reply.writeHead(error instanceof WebhookError ? 401 : 500).end();
  }
});
server.listen(Number(process.env.PORT ?? 8099), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.error(`Listening on port ${address?.port}.`);
});
