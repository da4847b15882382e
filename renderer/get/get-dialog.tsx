import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { AgentFailure, sentenceOf } from '../agent/failure.ts';
import { useApp } from '../app/context.ts';
import { desktopBridge } from '../desktop/bridge.ts';
import { isAbsolute } from '../send/lists.ts';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FolderIcon, GetIcon } from '../ui/icons.tsx';
import { Notice } from '../ui/notice.tsx';

/** Downloads the package behind a link into a folder of the agent's machine. */
export function GetDialog({ onClose }: { onClose: () => void }) {
  const { client } = useApp();
  const bridge = desktopBridge();
  const [url, setUrl] = useState('');
  const [folder, setFolder] = useState('');
  const [ownFolder, setOwnFolder] = useState(true);
  const [password, setPassword] = useState('');
  const [folderError, setFolderError] = useState<string | null>(null);

  const get = useMutation({
    mutationFn: () =>
      client.call('createDownload', {
        body: {
          url: url.trim(),
          dst_folder: folder.trim(),
          create_package_folder: ownFolder,
          ...(password ? { password } : {}),
        },
      }),
    onSuccess: onClose,
  });
  const failure = get.error instanceof AgentFailure ? get.error : null;
  const wantsPassword = password !== '' || (failure?.is('link_password_wrong') ?? false);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const problem = isAbsolute(folder.trim()) ? null : 'Give the whole path, as in /media/incoming.';
    setFolderError(problem);
    if (!problem) get.mutate();
  };

  return (
    <Dialog title="Get files" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        {get.error ? (
          <Notice tone={failure?.is('link_password_wrong') && !password ? 'plain' : 'bad'}>
            {failure?.is('link_password_wrong')
              ? password
                ? 'This password is wrong.'
                : 'This link is protected. Enter the password that its sender gave you.'
              : sentenceOf(get.error)}
          </Notice>
        ) : null}
        <TextField
          label="Download link"
          type="url"
          required
          autoFocus
          autoComplete="off"
          placeholder="https://…/d/…?secret=…"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        {wantsPassword ? (
          <TextField
            label="Password of the link"
            type="password"
            autoComplete="off"
            required
            autoFocus
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        ) : null}
        <TextField
          label="Folder"
          required
          spellCheck={false}
          className="input mono"
          placeholder="/media/incoming"
          value={folder}
          onChange={(event) => setFolder(event.target.value)}
          error={folderError}
          hint="The whole path on the agent’s machine."
        />
        {bridge ? (
          <button
            type="button"
            className="button"
            onClick={async () => {
              const picked = await bridge.pickFolder();
              if (picked) setFolder(picked);
            }}
          >
            <FolderIcon /> Choose…
          </button>
        ) : null}
        <label className="check">
          <input type="checkbox" checked={ownFolder} onChange={(event) => setOwnFolder(event.target.checked)} />
          <span>Put the files into a folder named after the package</span>
        </label>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-primary" disabled={get.isPending}>
            <GetIcon /> {get.isPending ? 'Opening the link…' : 'Get files'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
