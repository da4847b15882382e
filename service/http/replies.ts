import type { FastifyReply } from 'fastify';
import type { Route } from '#protocol/route.ts';
import { jsonType, replyWriter } from '#protocol/route-schemas.ts';
import { JsonList, sendJsonList } from './json-list.ts';
import { JsonText } from './json-text.ts';

/** Creates the function that sends a handler's result. Only the fields of the route's schema are sent. */
export function replySender(route: Route): (reply: FastifyReply, result: unknown) => FastifyReply | Promise<FastifyReply> {
  const { status } = route.reply;
  const write = replyWriter(route);
  return (reply, result) => {
    reply.code(status);
    if (result instanceof JsonText) return reply.type(jsonType).send(result.bytes);
    if (!write || result === undefined) return reply.send(result);
    reply.type(jsonType);
    if (result instanceof JsonList) return sendJsonList(reply, result, (records) => write(reply, records));
    return reply.send(write(reply, result));
  };
}
