import mime from 'mime';

const unknown = 'application/octet-stream';

/**
 * Types that a browser runs as a page. Whoever sends through a Portal is a stranger, and some buckets are shown to the world:
 * such a file would speak there in the name of the bucket's owner.
 */
const runs =
  /^(?:text\/(?:html|xml|xsl|javascript|ecmascript)|application\/(?:xml|javascript|ecmascript|node|x-shockwave-flash)|.*\+xml|multipart\/related|message\/rfc822)$/;

/** The content type that a file's name says; `application/octet-stream` where it says none, or one that browsers run. */
export function contentTypeOf(name: string): string {
  // As a path: a name without a dot has no extension.
  const type = mime.getType(`/${name}`);
  return type === null || runs.test(type) ? unknown : type;
}
