/** Storage of the agent's secrets, by name. */
export interface SecretStore {
  /** `keychain` of the operating system, or a `vault` file of our own. */
  readonly kind: 'keychain' | 'vault';
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}
