import { createOrderThread } from '../../ground/orderThread.ts'
import type { SignedReceipt } from '../../ports/keyring.ts'
import type { SigningOrder } from './receiptWorker.ts'

/** One for the process: a server has one receipt log. */
export const signOnThread = createOrderThread<SigningOrder, readonly SignedReceipt[]>(
  new URL('./receiptWorker.ts', import.meta.url),
  'receipts',
)
