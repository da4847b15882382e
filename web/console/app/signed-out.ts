/** That the person signed out in a tab, for the console's other tabs of this browser. Without a body: each of them asks the service. */
const name = 'longshore-signed-out';

export function tellSignedOut(): void {
  const channel = new BroadcastChannel(name);
  channel.postMessage(null);
  channel.close();
}

/** Calls back at each sign-out in another tab, for as long as the page lives. */
export function onSignedOutElsewhere(callback: () => void): void {
  new BroadcastChannel(name).addEventListener('message', callback);
}
