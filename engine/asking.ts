/** The caller of a request for a transfer. */
export interface Asking {
  /** The caller is restricted to the allowed folders: so is the transfer, for as long as it runs. */
  readonly restricted: boolean;
}
