/** Table of migration 0010. */
export interface ReceiptTables {
  receipts: {
    package_id: string;
    /** Signs the list of the package's files (docs/decisions/0019). */
    jws: string;
    created_at: Date;
  };
}
