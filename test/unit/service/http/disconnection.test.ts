import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { disconnectionOf } from '#service/http/streams.ts';

const newReply = () => ({ raw: new ServerResponse(new IncomingMessage(new Socket())) }) as unknown as FastifyReply;

it('fires when the client disconnects', async () => {
  const reply = newReply();
  const signal = disconnectionOf(reply);
  expect(signal.aborted).toBe(false);
  const closed = once(reply.raw, 'close');
  reply.raw.destroy();
  reply.raw.emit('close');
  await closed;
  expect(signal.aborted).toBe(true);
});

it('fires for a client that has disconnected before', () => {
  const reply = newReply();
  reply.raw.destroy();
  expect(disconnectionOf(reply).aborted).toBe(true);
});
