import type { Instant } from '@blindkeep/protocol/ids'
import type { Upload, WriteTx } from '../../ports/store.ts'

/** Moves an upload to landed and its object to kept, in the transaction that appends the receipt. */
export async function markLanded(tx: WriteTx, { uploadId, location }: Upload, at: Instant): Promise<void> {
  const [isLanded, isKept] = await Promise.all([
    tx.uploads.move(uploadId, { from: 'finishing', to: 'landed', at }),
    tx.objects.keep([location], at),
  ])
  if (!isLanded || !isKept) throw new Error('a session left the finishing state without a receipt')
}
