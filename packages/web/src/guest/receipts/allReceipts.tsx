import { Button } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import type { Snapshot } from '../ground/messages.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'

/** Downloads or prints the receipts of all files in the list, and apart from them the proofs, which have keys. */
export function AllReceipts({ snapshot: { checkedReceipts, provable } }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts)
  const tell = useTell()
  if (checkedReceipts === 0) return null
  return (
    <div class="stack tight">
      <div class="row all-receipts">
        <Button icon="download" onClick={() => tell({ do: 'saveReceipts' })}>
          {text.receipt.saveAll(checkedReceipts)}
        </Button>
        <Button icon="print" onClick={() => window.print()}>
          {text.receipt.print}
        </Button>
        {provable > 0 && (
          <Button icon="key" onClick={() => tell({ do: 'makeProofs' })}>
            {text.receipt.proofs}
          </Button>
        )}
      </div>
      {provable < checkedReceipts && <p class="soft small">{text.receipt.proofTooLate}</p>}
    </div>
  )
}
