/**
 * nginx as curl knows it (PUT and GET of files), and on the same addresses as much of S3 as rclone and the AWS command
 * line ask of a server that trusts everybody: begin a multipart upload, take a part as a file, complete it (which
 * leaves the parts as they are), list a bucket from a file made beforehand. Every byte is stored and served as by any
 * nginx; what is spared is the assembling of parts, checksums and signatures. It favours the peers: with it they are as
 * fast as they can be.
 */
export function nginxConfig({ port, asRoot }: { readonly port: number; readonly asRoot: boolean }): string {
  return `${asRoot ? 'user root;\n' : ''}worker_processes auto;
daemon off;
pid nginx.pid;
error_log error.txt crit;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  keepalive_timeout 300s;
  client_max_body_size 0;
  client_body_buffer_size 1m;
  client_body_temp_path body;
  proxy_temp_path unused; fastcgi_temp_path unused; uwsgi_temp_path unused; scgi_temp_path unused;
  map "$request_method $args" $kind {
    default object;
    "~^POST .*uploadId=" complete;
    "~^POST .*uploads" create;
    "~^PUT .*partNumber=(?<part>[0-9]+)" part;
    "~^GET .*(list-type|delimiter|prefix|max-keys)=" list;
  }
  # A file that is served has an ETag of nginx's own.
  map $request_method $put_etag { default ""; PUT '"stored"'; }
  server {
    listen 127.0.0.1:${port};
    root root;
    location / { rewrite ^ /$kind$uri last; }
    location /object/ { internal; dav_methods PUT; create_full_put_path on; add_header ETag $put_etag; }
    location /part/ {
      internal;
      dav_methods PUT;
      create_full_put_path on;
      add_header ETag $put_etag;
      rewrite ^(.*)$ $1.$part break;
    }
    location ~ ^/list/(?<bucket>[^/]+) {
      internal;
      types { }
      default_type application/xml;
      try_files /list/$bucket.xml /list/empty.xml =404;
    }
    location /create/ {
      internal;
      default_type application/xml;
      return 200 '${xml('InitiateMultipartUploadResult', '<Bucket>incoming</Bucket><Key>any</Key><UploadId>upload</UploadId>')}';
    }
    location /complete/ {
      internal;
      default_type application/xml;
      return 200 '${xml('CompleteMultipartUploadResult', '<Bucket>incoming</Bucket><Key>any</Key><ETag>"stored"</ETag>')}';
    }
  }
}
`;
}

/** A bucket's list in one page, whatever the client asks for. Names need no escaping: they are ours. */
export function bucketList(bucket: string, entries: readonly { readonly key: string; readonly size: number }[]): string {
  const contents = entries.map(
    ({ key, size }) =>
      `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;stored&quot;</ETag>` +
      `<Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  );
  const head = `<Name>${bucket}</Name><Prefix></Prefix><KeyCount>${entries.length}</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>`;
  return xml('ListBucketResult', head + contents.join(''));
}

const xml = (element: string, inner: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><${element} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${element}>`;
