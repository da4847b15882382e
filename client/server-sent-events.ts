/** The fields of a server-sent event that the client needs. */
interface ServerEvent {
  readonly id: string | null;
  readonly data: string;
}

/**
 * Splits a text stream into server-sent events (WHATWG HTML §9.2.6): lines end in CR, LF or CRLF, an empty line ends an
 * event, comments and unused fields are ignored.
 */
export class EventParser {
  #rest = '';
  #id: string | null = null;
  #data: string[] = [];
  #lastId: string | null = null;

  /** The id of the newest block that is whole, also of one without data; null before the first. */
  get lastEventId(): string | null {
    return this.#lastId;
  }

  /** Adds received text and returns the complete events. */
  push(text: string): ServerEvent[] {
    this.#rest += text;
    const events: ServerEvent[] = [];
    for (;;) {
      const end = /\r\n|\n|\r/.exec(this.#rest);
      // A CR at the very end may be the first half of CRLF: wait for what follows.
      if (!end || (end[0] === '\r' && end.index === this.#rest.length - 1)) return events;
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      const event = this.#line(line);
      if (event) events.push(event);
    }
  }

  #line(line: string): ServerEvent | null {
    if (line === '') {
      const event = this.#data.length > 0 ? { id: this.#id, data: this.#data.join('\n') } : null;
      this.#data = [];
      this.#lastId = this.#id;
      return event;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    return null;
  }
}
