/** The few XML answers of S3-compatible storage. */

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character]!);

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

export function initiateResult(bucket: string, key: string, uploadId: string): string {
  return (
    `${declaration}<InitiateMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
    `<Bucket>${escaped(bucket)}</Bucket><Key>${escaped(key)}</Key><UploadId>${escaped(uploadId)}</UploadId></InitiateMultipartUploadResult>`
  );
}

export function errorDocument(code: string, message: string): string {
  return `${declaration}<Error><Code>${escaped(code)}</Code><Message>${escaped(message)}</Message></Error>`;
}
