import { createContext, useContext } from 'react';

/** The list of keyboard shortcuts, which can be opened from anywhere. */
export const KeysContext = createContext<{ show(): void }>({ show: () => undefined });
export const useKeys = () => useContext(KeysContext);
