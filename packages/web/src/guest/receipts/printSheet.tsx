import { Name } from '../../common/controls/controls.tsx'
import { Redrawn } from '../../common/drawing/redrawn.tsx'
import { useText } from '../../common/language/reader.ts'
import { filePath } from '../../common/names/filePath.ts'
import type { Row, SignedFacts, Snapshot } from '../ground/messages.ts'
import { guestTexts } from '../ground/texts.ts'
import { ReceiptFacts } from './receiptView.tsx'
import { SentFacts } from './sentWith.tsx'

/** Only printed: every receipt, unfolded. */
export function PrintSheet({ snapshot: { rows, checkedReceipts } }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts)
  const checked = rows.flatMap((row) => (row.receipt?.is === 'checked' ? [{ row, signed: row.receipt.signed }] : []))
  if (checked.length === 0) return null
  return (
    <div class="print-sheet" aria-hidden="true">
      <p class="print-title">{text.receipt.printTitle}</p>
      <p>{text.receipt.limits}</p>
      {checked.some(({ row }) => row.proofFile !== undefined) && (
        <p>
          {text.receipt.proofShows} {text.receipt.proofHides}
        </p>
      )}
      {checked.map(({ row, signed }) => (
        <PrintedReceipt key={row.id} row={row} signed={signed} />
      ))}
      {checkedReceipts > checked.length && <p>{text.receipt.printMore(checkedReceipts - checked.length)}</p>}
    </div>
  )
}

interface PrintedReceiptProps {
  readonly row: Row
  readonly signed: SignedFacts
}

/** The page is drawn ten times a second. */
function PrintedReceipt({ row, signed }: PrintedReceiptProps) {
  const text = useText(guestTexts)
  return (
    <Redrawn
      parts={[row.id, row.revision]}
      draw={() => (
        <div class="print-receipt">
          <p>
            <strong>
              <Name>{filePath(row)}</Name>
            </strong>
          </p>
          <ReceiptFacts signed={signed} />
          {row.message !== undefined && (
            <div class="print-words">
              <p>{text.sentWith.unsigned}</p>
              <SentFacts message={row.message} />
            </div>
          )}
          {row.proofFile !== undefined && <p>{text.receipt.proofIs(row.proofFile)}</p>}
        </div>
      )}
    />
  )
}
