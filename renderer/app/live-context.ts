import { createContext, useContext } from 'react';

/** Whether the page hears from the agent. While it does not, what is shown may be old. */
export const LiveContext = createContext(true);
export const useLive = (): boolean => useContext(LiveContext);
