/** The receiver closed the connection. No answer can be sent. */
export class ReceiverGone extends Error {
  override readonly name = 'ReceiverGone';
}
