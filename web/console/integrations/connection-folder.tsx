import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Connection } from '#protocol/hosted/connections.ts';
import { FileIcon, FolderIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/integrations.ts';
import { en } from '../../messages/en/console/integrations.ts';
import { useTeam } from '../app/account.ts';
import { useApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { QueryView } from '../ui/view-states.tsx';
import { connectionsKey, integrationCalls } from './calls.ts';

interface Step {
  readonly id: string;
  readonly name: string;
}

/** What lies in the folders that a connection brings files from. */
export function ConnectionFolder({ connection }: { readonly connection: Connection }) {
  const { messages, size } = useTexts({ en, de });
  const team = useTeam();
  const api = useApi(integrationCalls);
  const [path, setPath] = useState<readonly Step[]>([]);
  const prefix = path.at(-1)?.id ?? '';
  const files = useInfiniteQuery({
    queryKey: [...connectionsKey(team.id), connection.id, 'files', prefix],
    queryFn: ({ pageParam, signal }) =>
      api.call('listConnectionFiles', {
        params: { connection_id: connection.id },
        query: { prefix, count: 100, ...(pageParam !== '' && { prev_key: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ prev_key }) => (prev_key === '' ? undefined : prev_key),
    retry: false,
  });
  return (
    <section className="panel">
      <h2>{messages.browse}</h2>
      <p className="hint">{messages.browseText}</p>
      {path.length === 0 ? null : (
        <nav className="folder-path" aria-label={messages.path}>
          <button type="button" className="button-link" onClick={() => setPath([])}>
            {messages.root}
          </button>
          {path.map(({ id, name }, index) => (
            <span key={id} className="folder-path">
              <span aria-hidden="true">/</span>
              <button type="button" className="button-link" onClick={() => setPath(path.slice(0, index + 1))}>
                <bdi>{name}</bdi>
              </button>
            </span>
          ))}
        </nav>
      )}
      <QueryView query={files}>
        {({ pages }) => {
          const found = pages.flatMap(({ records }) => records);
          return (
            <>
              {found.length === 0 && !files.hasNextPage ? <p className="hint">{messages.emptyFolder}</p> : null}
              <ul className="folder-rows">
                {found.map((file) => (
                  <li key={`${file.kind} ${file.id}`}>
                    {file.kind === 'directory' ? <FolderIcon /> : <FileIcon />}
                    {file.kind === 'directory' ? (
                      <button
                        type="button"
                        className="button-link"
                        aria-label={messages.open(file.name)}
                        onClick={() => setPath([...path, { id: file.id, name: file.name }])}
                      >
                        <bdi>{file.name}</bdi>
                      </button>
                    ) : (
                      <bdi>{file.name}</bdi>
                    )}
                    <span className="hint">{file.archived ? messages.cold : file.size === undefined ? '' : size(file.size)}</span>
                  </li>
                ))}
              </ul>
              {files.hasNextPage ? (
                <button type="button" className="button" disabled={files.isFetchingNextPage} onClick={() => void files.fetchNextPage()}>
                  {messages.moreFiles}
                </button>
              ) : null}
            </>
          );
        }}
      </QueryView>
    </section>
  );
}
