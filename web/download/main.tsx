import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createDownloadApi } from './api.ts';
import { DownloadPage } from './download-page.tsx';
import '../styles.css';
import './download.css';

const api = createDownloadApi((input, init) => fetch(input, init));

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <DownloadPage api={api} address={new URL(window.location.href)} />
  </StrictMode>,
);
