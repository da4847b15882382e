import { createContext, useContext } from 'react';

/** Whether the event stream is connected. If not, the page may show old data. */
export const LiveContext = createContext(true);
export const useLive = (): boolean => useContext(LiveContext);
