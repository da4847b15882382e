import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { CloudFile, CloudFilePage } from '#protocol/hosted/connections.ts';
import { FileIcon, FolderIcon } from '#ui/icons.tsx';
import { de } from '../../messages/de/console/cloud-folder.ts';
import { en } from '../../messages/en/console/cloud-folder.ts';
import { useTeam } from '../app/account.ts';
import { defineCalls, usePatientApi } from '../app/api.ts';
import { useTexts } from '../app/texts.ts';
import { QueryView } from './view-states.tsx';
import './cloud-folder.css';

const calls = defineCalls({
  listConnectionFiles: { method: 'GET', path: '/v1/cloud_connections/{connection_id}/files', reply: { status: 200 } },
});

interface Step {
  readonly id: string;
  readonly name: string;
}

interface FolderQuery {
  /** The folder's id; empty for where one begins. */
  readonly prefix: string;
  readonly count: number;
  readonly prev_key?: string;
}

/** Storage whose folders are listed. */
export interface FolderSource {
  /** By which pages are remembered. */
  readonly key: readonly unknown[];
  readonly list: (query: FolderQuery, signal: AbortSignal) => Promise<CloudFilePage>;
}

/** The folders that a connection brings files from; `destination`: all that it could. */
export function useConnectionFiles(connectionId: string, within: 'sources' | 'destination' = 'sources'): FolderSource {
  const team = useTeam();
  const api = usePatientApi(calls);
  return {
    key: ['team', team.id, 'connections', connectionId, 'files', within],
    list: (query, signal) =>
      api.call('listConnectionFiles', { params: { connection_id: connectionId }, query: { ...query, within }, signal }),
  };
}

interface CloudFolderProps {
  readonly source: FolderSource;
  /** Shown before each file and folder, such as a box to choose it. */
  readonly leading?: (file: CloudFile) => ReactNode;
}

const pageSize = 100;

/** Looks into storage, one folder at a time. */
export function CloudFolder({ source, leading }: CloudFolderProps) {
  const { messages, size } = useTexts({ en, de });
  const [path, setPath] = useState<readonly Step[]>([]);
  const prefix = path.at(-1)?.id ?? '';
  const files = useInfiniteQuery({
    queryKey: [...source.key, prefix],
    queryFn: ({ pageParam, signal }) =>
      source.list({ prefix, count: pageSize, ...(pageParam === '' ? {} : { prev_key: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ prev_key }) => (prev_key === '' ? undefined : prev_key),
    retry: false,
  });
  return (
    <>
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
              {found.length === 0 && !files.hasNextPage ? <p className="hint">{messages.empty}</p> : null}
              <ul className="folder-rows">
                {found.map((file) => (
                  <li key={`${file.kind} ${file.id}`}>
                    {leading?.(file)}
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
                  {messages.more}
                </button>
              ) : null}
            </>
          );
        }}
      </QueryView>
    </>
  );
}
