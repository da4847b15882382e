import type { PackageEvent } from '#protocol/hosted/package-events.ts';

/** A reader of server-sent events, by the rules of that format. */
export interface EventReader<Event = PackageEvent> {
  readonly status: number;
  readonly headers: Headers;
  readonly events: Event[];
  readonly ids: string[];
  readonly comments: string[];
  /** Resolves when the stream ends: as HTTP ends an answer, or because the connection did. */
  readonly ended: Promise<'in order' | 'broken'>;
  close(): void;
}

export async function readEvents<Event = PackageEvent>(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<EventReader<Event>> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const reader: Omit<EventReader<Event>, 'ended'> = {
    status: response.status,
    headers: response.headers,
    events: [],
    ids: [],
    comments: [],
    close: () => abort.abort(),
  };
  const take = (block: string) => {
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) reader.comments.push(line);
      else if (line.startsWith('id: ')) reader.ids.push(line.slice(4));
      else if (line.startsWith('data: ')) reader.events.push(JSON.parse(line.slice(6)) as Event);
    }
  };
  const read = async () => {
    let text = '';
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      blocks.forEach(take);
    }
  };
  return {
    ...reader,
    ended: read().then(
      () => 'in order' as const,
      () => 'broken' as const,
    ),
  };
}
