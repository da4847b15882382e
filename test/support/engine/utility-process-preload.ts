/** What a utility process of Electron has instead of Node's channel to its parent. */
const send = process.send!.bind(process);
const parentPort = {
  postMessage: (message: object) => void send(message, undefined, undefined, () => undefined),
  on(_: 'message', listener: (event: { readonly data: unknown }) => void) {
    process.on('message', (data) => listener({ data }));
  },
};
delete process.send;
Object.assign(process, { parentPort });
// Electron ends it with its parent.
process.on('disconnect', () => process.exit(1));
