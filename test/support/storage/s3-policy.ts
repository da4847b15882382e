import type { RequestListener } from 'node:http';
import { errorDocument } from '#storage/xml.ts';

/** Answers every request with an error of S3. */
export const refusing =
  (status: number, code: string): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(status, { 'Content-Type': 'application/xml' }).end(errorDocument(code, 'as the script says'));
  };

export const denied = [403, 'AccessDenied'] as const;

/** What a request asks of S3, as a policy names it. */
function actionOf(method: string, { pathname, searchParams }: URL): string {
  if (pathname.replace(/\/$/, '') === '/bucket') {
    if (method === 'HEAD') return 'HeadBucket';
    return searchParams.has('uploads') ? 'ListMultipartUploads' : 'ListBucket';
  }
  if (method === 'POST') return 'CreateMultipartUpload';
  if (searchParams.has('uploadId')) return { PUT: 'UploadPart', GET: 'ListParts', DELETE: 'AbortMultipartUpload' }[method] ?? method;
  return `${{ PUT: 'Put', GET: 'Get', HEAD: 'Head', DELETE: 'Delete' }[method]}Object`;
}

/** A bucket that allows all but some actions, which a test may change, and what was asked of it. */
export function policy(refused: Readonly<Record<string, readonly [status: number, code: string] | undefined>>) {
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    request.resume();
    const action = actionOf(request.method ?? '', new URL(request.url ?? '', 'http://x'));
    asked.push(action);
    const no = refused[action];
    if (no) return refusing(...no)(request, response);
    if (action === 'CreateMultipartUpload') {
      response.writeHead(200, { 'Content-Type': 'application/xml' });
      return response.end('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>');
    }
    if (action.startsWith('List')) return response.writeHead(200, { 'Content-Type': 'application/xml' }).end(`<${action}Result/>`);
    response.writeHead(200, { ETag: '"e"' }).end();
  };
  return { asked, answer };
}
