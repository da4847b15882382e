import { ApiError } from '#protocol/errors.ts';

const id = '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';

/** What a browser sends to a fake agent: one drop, in memory. */
export class FakeDrops {
  /** Bytes by path. */
  readonly files = new Map<string, Buffer>();
  /** Why room is refused, or null. */
  refusal: ApiError | null = null;
  /** Resolves before bytes are answered, so that a test sees them on the way. */
  gate: Promise<void> = Promise.resolve();
  deleted = 0;

  /** `undefined` where the call is none of these. */
  async answer(call: string, query: URLSearchParams, body: unknown): Promise<{ readonly answer: unknown } | undefined> {
    if (call === 'POST /api/v1/drops') {
      if (this.refusal) throw this.refusal;
      return { answer: { id, path: `/data/drops/${id}/files`, bytes: (body as { bytes: number }).bytes } };
    }
    if (call === `DELETE /api/v1/drops/${id}`) {
      this.deleted++;
      return { answer: undefined };
    }
    const path = query.get('path') ?? '';
    const before = this.files.get(path) ?? Buffer.alloc(0);
    if (call === `GET /api/v1/drops/${id}/files`) return { answer: { bytes: before.length, whole: false } };
    if (call !== `PUT /api/v1/drops/${id}/files`) return undefined;
    await this.gate;
    if (Number(query.get('offset')) !== before.length) throw new ApiError('not_found', { resource: 'offset' });
    const now = Buffer.concat([before, (body as Buffer | undefined) ?? Buffer.alloc(0)]);
    this.files.set(path, now);
    return { answer: { bytes: now.length, whole: now.length === Number(query.get('size')) } };
  }
}
