import { Name } from '../common/controls.tsx'
import type { Row } from './messages.ts'
import { ReceiptFacts } from './receiptView.tsx'
import { useGuestPages } from './texts.ts'

/** On paper alone: every receipt, unfolded. */
export function PrintSheet({ rows }: { readonly rows: readonly Row[] }) {
  const { text } = useGuestPages()
  const checked = rows.flatMap(({ id, name, folder, receipt }) =>
    receipt?.is === 'checked' ? [{ id, name: folder === '' ? name : `${folder}/${name}`, signed: receipt.signed }] : [],
  )
  if (checked.length === 0) return null
  return (
    <div class="print-sheet" aria-hidden="true">
      <p class="print-title">{text.receipt.printTitle}</p>
      {checked.map(({ id, name, signed }) => (
        <div key={id} class="print-receipt">
          <p>
            <strong>
              <Name>{name}</Name>
            </strong>
          </p>
          <ReceiptFacts signed={signed} />
        </div>
      ))}
    </div>
  )
}
