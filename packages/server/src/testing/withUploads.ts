import type { ReadTx } from '../ports/store.ts'

/** The same transaction, but `uploads` has other functions. */
export function withUploads<Tx extends ReadTx>(tx: Tx, uploads: Partial<Tx['uploads']>): Tx {
  return Object.create(tx, { uploads: { value: Object.create(tx.uploads, Object.getOwnPropertyDescriptors(uploads)) } })
}
