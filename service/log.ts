/** Structured log, as pino and Fastify have it: facts first, then a sentence. Never a secret among the facts. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
